import { isUtf8 } from 'node:buffer'
import build from 'fast-json-stringify'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import * as limits from '../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { BodyTooLarge, Overloaded } from '../../http/request-body.ts'
import { type Operation, type Route, streamTypes } from './api.ts'
import { type ApiDescription, openapiDocument } from './document.ts'
import { Problem, sendProblem } from './problem.ts'
import { nullable } from './schemas.ts'
import { validatorCompiler } from './validate-body.ts'

export interface CompletedCall<Caller> {
  operation: Operation
  caller: Caller
  parameters: Readonly<Record<string, string>>
  status: number
  requestBody: unknown
  responseBody: unknown
  request: FastifyRequest
}

interface RestApi<Caller> {
  name: string
  prefix: string
  /** Path of the OpenAPI document, which anyone can read. */
  documentPath: string
  description: ApiDescription
  routes: readonly Route<Caller>[]
  bodyMaxBytes: number
  /** Called first for every request, also for unknown paths. Throws Problem. */
  authenticate(request: FastifyRequest): Promise<Caller>
  /** Checks whether the client may make the call, before the body is read. Throws Problem. */
  authorize?(caller: Caller, operation: Operation): void
  /** Returns `undefined` for unexpected errors. */
  problemOf(error: unknown, requestBody: unknown): Problem | undefined
  /** Runs after each successful call, before its response. */
  completed?(call: CompletedCall<Caller>): Promise<void>
}

/** Mounts an API and its OpenAPI document. Accepts and sends only members of bodies that the schemas name. */
export function restApi<Caller>(api: RestApi<Caller>): FastifyPluginAsync {
  const operations = api.routes.map(({ operation }) => operation)
  let document: string | undefined

  return async (app) => {
    app.get(api.documentPath, (_request, reply) => {
      document ??= JSON.stringify(openapiDocument(api.description, api.prefix, operations))
      return reply.type('application/json').send(document)
    })
    await app.register(
      async (versioned) => {
        const callers = new WeakMap<FastifyRequest, Caller>()
        takeJson(versioned)
        answerErrorsAsProblems(versioned, api)
        versioned.setValidatorCompiler(validatorCompiler)
        versioned.setSerializerCompiler(serializerCompiler)
        const allowed = allowedMethods(api.prefix, operations)
        versioned.addHook('onRequest', async (request) => {
          callers.set(request, await api.authenticate(request))
          if (!request.is404) return
          // Other methods are rejected before the body is read, so that a body with an unsupported type also gets 405.
          const path = request.url.replace(/\?.*/s, '')
          const known = allowed.filter((each) => each.path.test(path)).flatMap(({ methods }) => methods)
          if (known.length === 0) return
          const allow = [...new Set(known)].join(', ')
          const detail = `${request.method} is not allowed here. Allowed methods: ${allow}.`
          throw new Problem(405, detail, { headers: { allow } })
        })
        for (const one of api.routes) mount(versioned, api, one, callers)
      },
      { prefix: api.prefix },
    )
  }
}

function mount<Caller>(
  app: FastifyInstance,
  api: RestApi<Caller>,
  { operation, handle }: Route<Caller>,
  callers: WeakMap<FastifyRequest, Caller>,
): void {
  const { body, responses } = operation
  const schemas = Object.entries(responses).flatMap(([status, [, schema, streamed]]) =>
    schema && !streamed ? [[status, schema]] : [],
  )
  const callerOf = (request: FastifyRequest): Caller => {
    const caller = callers.get(request)
    if (caller === undefined) throw new Error('the request was not authenticated')
    return caller
  }
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: { ...(operation.method !== 'get' && { body: body ?? noBody }), response: Object.fromEntries(schemas) },
    bodyLimit: api.bodyMaxBytes,
    exposeHeadRoute: hasHead(operation),
    async onRequest(request) {
      api.authorize?.(callerOf(request), operation)
    },
    async handler(request, reply) {
      try {
        const caller = callerOf(request)
        const parameters = request.params as Record<string, string>
        const query = request.query as Record<string, unknown>
        const { status, body, unchanged } = await handle({ caller, parameters, query, body: request.body })
        // Calls are audited here rather than in their handlers, so that no handler can forget it (decision 0014).
        if (unchanged !== true) {
          await api.completed?.({
            ...{ operation, caller, parameters, status, request },
            requestBody: request.body,
            responseBody: body,
          })
        }
        const [, , streamed] = responses[status] ?? []
        if (streamed !== undefined) reply.type(streamTypes[streamed])
        if (streamed === 'live') reply.headers(liveHeaders)
        // Not cached, because the body may contain secrets.
        return reply.code(status).header('cache-control', 'no-store').send(body)
      } catch (error) {
        throw api.problemOf(error, request.body) ?? error
      }
    },
  })
}

/** Body of a call without one: clients that always send JSON may send no members. */
const noBody = nullable(Type.Object({}, { additionalProperties: false }), 'no body, or {}')

/** Headers that keep proxies from buffering a stream, and that end its connection with it. */
const liveHeaders = { 'x-accel-buffering': 'no', connection: 'close' } as const

/** A stream without an end has no HEAD. */
function hasHead({ method, responses }: Operation): boolean {
  return method === 'get' && !Object.values(responses).some(([, , streamed]) => streamed === 'live')
}

/** Returns the methods that each path of the API allows. A URL can match several, such as `{eventId}` and `replay`. */
function allowedMethods(prefix: string, operations: readonly Operation[]): { path: RegExp; methods: string[] }[] {
  const ofPaths = Map.groupBy(operations, ({ path }) => path)
  return [...ofPaths].map(([path, ofPath]) => {
    const methods = ofPath.map(({ method }) => method.toUpperCase())
    if (ofPath.some(hasHead)) methods.push('HEAD')
    return { path: new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), methods }
  })
}

/** Accepts only JSON. An empty body counts as absent, so validation reports it like any other fault. */
function takeJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined)
    else if (isUtf8(bytes)) parseJson(request, bytes.toString(), done)
    else done(new Problem(400, 'The body is not text in UTF-8. Send JSON in UTF-8.'))
  })
}

export function answerErrorsAsProblems(
  app: FastifyInstance,
  { name, documentPath, bodyMaxBytes }: Pick<RestApi<never>, 'name' | 'documentPath' | 'bodyMaxBytes'>,
): void {
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new Problem(404, `There is nothing at this URL. ${documentPath} describes the API.`)),
  )
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = error instanceof Problem ? error : problemOfFastify(error, bodyMaxBytes)
    if (problem.status >= 500 && !(error instanceof Overloaded))
      request.log.error({ err: error }, `${name} request failed`)
    return sendProblem(reply, problem)
  })
}

function problemOfFastify(error: FastifyError, bodyMaxBytes: number): Problem {
  if (error instanceof StoreUnavailable) {
    const detail = 'The service can’t read or write its data. Try again in a moment.'
    return new Problem(503, detail, { headers: { 'retry-after': '1' } })
  }
  if (error instanceof Overloaded) {
    const detail = 'Too much data is arriving at once. Nothing was changed. Try again in a moment.'
    return new Problem(503, detail, { headers: { 'retry-after': String(limits.overloadRetryAfterSeconds) } })
  }
  if (error instanceof BodyTooLarge) {
    return new Problem(413, `The URL has more than ${limits.parametersMax} parameters. Send fewer.`)
  }
  if (error.statusCode === 413) {
    return new Problem(413, `The body is larger than ${bodyMaxBytes} bytes. Send a smaller one.`)
  }
  if (error.statusCode === 415) {
    return new Problem(415, 'Send the body as JSON, with the header Content-Type: application/json.')
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    // Omits the parser's message, because it quotes the body, which may contain a password.
    return new Problem(400, "The body can't be read as JSON. Send one JSON object.")
  }
  return new Problem(500, 'The service failed to handle this request. Its log contains the cause.')
}

type Serializer = (body: unknown) => string
const serializers = new WeakMap<Schema, Serializer>()

/** Serializes only the members that the schema names, so that nothing else leaks. Compiles each schema on first use. */
const serializerCompiler: FastifySerializerCompiler<Schema> =
  ({ schema }) =>
  (body) =>
    serializers.getOrInsertComputed(schema, () => build(schema) as Serializer)(body)
