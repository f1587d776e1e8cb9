import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Origin } from '../domain/audit/audit.ts'
import * as limits from '../domain/limits/limits.ts'
import type { Refusal } from '../domain/refusal.ts'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import { type ObjectSchema, type Schema, Type } from '../http/json-schema.ts'
import type { RawRequest, RawResponse } from '../http/raw-exchange.ts'
import { type RawParts, type RawRoute, RawRoutes } from '../http/raw-routes.ts'
import { BodyTooLarge, limitedParameters, Overloaded } from '../http/request-body.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { clientAddress } from '../http/request-origin.ts'
import { isOAuthRefusal, OAuthRefusal, oauthError, oauthErrorResponse } from './responses.ts'

export interface OAuthRequest {
  headers: IncomingHttpHeaders
  /** Empty if the operation has no body. */
  parameters: OAuthParameters
  /** Returns the sender's address and user agent, for the audit log and for counting failures. */
  from(): Origin
}

/** An OAuth endpoint called by programs. Every error thrown by `answer` becomes an OAuth error response. */
export interface OAuthEndpoint {
  operation: DescribedOperation
  answer(request: OAuthRequest): Promise<RawResponse>
}

interface OAuthParts extends RawParts {
  endpoints: readonly OAuthEndpoint[]
  log: FastifyBaseLogger
  refusals: Refusals
}

/** The OAuth endpoints as raw routes (decision 0005). */
export function oauthRoutes({ endpoints, log, refusals, ...raw }: OAuthParts): RawRoutes {
  const { trust } = raw
  function route({ operation, answer }: OAuthEndpoint): RawRoute {
    const allowed = operation.method === 'get' ? ['GET', 'HEAD'] : ['POST']
    const known = operation.body && parameterNames(operation.body)
    const respond = async (request: RawRequest) => {
      const { headers, headersDistinct } = request.message
      const body = await request.body()
      // `headers` has only the first of them.
      if (new Set(headersDistinct.authorization).size > 1) {
        throw new OAuthRefusal('parameter-repeated', { parameter: 'Authorization' })
      }
      const from = () => ({ userAgent: headers['user-agent'], address: clientAddress(request.message, trust) })
      const parameters = known === undefined ? noParameters : readOAuthParameters(headers, body, known)
      return answer({ headers, parameters, from })
    }
    const methods = Object.fromEntries(allowed.map((method) => [method, respond]))
    return { pattern: operation.path, methods, otherMethod: () => methodNotAllowed(allowed.join(', ')) }
  }

  function refuse(error: unknown, request: RawRequest): RawResponse {
    if (error instanceof BodyTooLarge) return refuse(new OAuthRefusal('body-too-large'), request)
    if (error instanceof Overloaded) return overloaded
    if (isOAuthRefusal(error)) {
      noteRefusal(error, request)
      return oauthErrorResponse(error)
    }
    if (error instanceof StoreUnavailable) {
      const labels = { route: request.pattern, cause: 'unavailable' }
      refusals.note(labels, {}, { requestId: request.id, err: error })
      return unavailable
    }
    log.error({ requestId: request.id, err: error }, 'OAuth request failed')
    return fault
  }

  function noteRefusal(error: Refusal<string>, request: RawRequest): void {
    const { reason, detail } = error
    // Metric labels must have few distinct values. `detail` is used as a label only for failed client authentication,
    // where it comes from a fixed list.
    const why = reason === 'client-authentication-failed' ? detail : undefined
    const clientId = error instanceof OAuthRefusal ? error.about.clientId : undefined
    const subject = { clientId, client: clientAddress(request.message, trust) }
    refusals.note({ route: request.pattern, cause: why ?? reason }, subject, { requestId: request.id, reason, detail })
  }

  return new RawRoutes({
    ...raw,
    routes: endpoints.map(route),
    bodyMaxBytes: limits.oauthBodyMaxBytes,
    inFlightMax: limits.oauthRequestsInFlightMax,
    refuse,
  })
}

const unavailable = oauthError(
  503,
  'temporarily_unavailable',
  'The service can not reach its data right now. Try again in a moment.',
  ['retry-after', String(limits.unavailableRetryAfterSeconds)],
)

const overloaded = oauthError(503, 'temporarily_unavailable', 'The service is overloaded. Try again in a moment.', [
  'retry-after',
  String(limits.overloadRetryAfterSeconds),
])

const fault = oauthError(
  500,
  'server_error',
  'The service failed to handle this request. Try again. If it persists, tell the operator when it happened.',
)

function methodNotAllowed(methods: string): RawResponse {
  return oauthError(405, 'invalid_request', `This endpoint only accepts ${methods}.`, ['allow', methods])
}

/** An endpoint's OpenAPI description, with the schemas that also validate its requests and responses. */
export interface DescribedOperation {
  path: string
  method: 'get' | 'post'
  operationId: string
  summary: string
  /** Query parameters, if the request has no body. */
  query?: ObjectSchema<unknown>
  /** Body, accepted as a form or as JSON. */
  body?: Schema
  /** OpenAPI security requirements: any one of them suffices. Empty if none is needed. */
  security?: readonly Record<string, string[]>[]
  responses: Record<string, { description: string; schema?: Schema; headers?: Record<string, string> }>
}

/** The parameters of an OAuth request, each a single non-empty string. */
export type OAuthParameters = ReadonlyMap<string, string>

const noParameters: OAuthParameters = new Map()

/** Returns the names of all parameters of a body, which may be one of several objects. */
function parameterNames(body: Schema): string[] {
  const { anyOf = [body] } = body as { anyOf?: readonly Schema[] }
  return anyOf.flatMap(({ properties }) => Object.keys(properties as object))
}

/**
 * Reads the parameters named in `known` from a form or a JSON object, which behave alike. A parameter without a value
 * counts as not sent (RFC 6749, section 3.1). Unknown parameters are ignored, repeated ones rejected.
 *
 * @throws OAuthRefusal, BodyTooLarge
 */
export function readOAuthParameters(
  headers: IncomingHttpHeaders,
  body: Buffer,
  known: readonly string[],
): OAuthParameters {
  const contentType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  const isForm = contentType === 'application/x-www-form-urlencoded'
  if (!isForm && contentType !== 'application/json') throw new OAuthRefusal('content-type-unsupported')
  const hasJson = !isForm && body.length > 0
  const members = hasJson ? jsonMembers(body) : [...new URLSearchParams(limitedParameters(body.toString('utf8')))]
  if (members.length === 0) throw new OAuthRefusal('body-empty')

  const parameters = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of members) {
    if (!known.includes(name)) continue
    if (seen.has(name)) throw new OAuthRefusal('parameter-repeated', { parameter: name })
    seen.add(name)
    if (typeof value !== 'string') throw new OAuthRefusal('parameter-not-a-string', { parameter: name })
    // JSON can contain an unpaired surrogate (`\ud800`), which UTF-8 can't encode.
    if (!value.isWellFormed()) throw new OAuthRefusal('body-malformed', { detail: `unpaired surrogate in ${name}` })
    if (value !== '') parameters.set(name, value)
  }
  return parameters
}

/** @throws OAuthRefusal `parameter-missing` */
export function requiredParameter({ parameters }: OAuthRequest, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthRefusal('parameter-missing', { parameter: name })
  return value
}

/** Returns a JSON object's members in order, including repeated ones. */
function jsonMembers(body: Buffer): [string, unknown][] {
  if (!isUtf8(body)) throw new OAuthRefusal('body-malformed')
  const text = body.toString('utf8')
  let names: string[]
  let parsed: unknown
  try {
    names = memberNames(text)
    parsed = JSON.parse(text)
  } catch (error) {
    throw error instanceof BodyTooLarge ? error : new OAuthRefusal('body-malformed')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new OAuthRefusal('body-malformed')
  const values = new Map(Object.entries(parsed))
  return names.length === values.size ? [...values] : names.map((name): [string, unknown] => [name, values.get(name)])
}

/**
 * Returns a JSON object's member names, including repeated ones, which `JSON.parse` drops. The time is linear in the
 * text, even if it isn't valid JSON: a string without an end takes up the rest.
 *
 * @throws BodyTooLarge, SyntaxError
 */
function memberNames(text: string): string[] {
  const names: string[] = []
  // The object's brackets, and a name and a text for each parameter.
  let tokensLeft = 2 + 2 * limits.parametersMax
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"\s*:?)?|[{}[\]]/g)) {
    if (tokensLeft === 0) throw new BodyTooLarge()
    tokensLeft -= 1
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token.endsWith(':')) names.push(JSON.parse(token.slice(0, -1)) as string)
  }
  return names
}

/** Returns the schema for a text parameter in an OAuth request. Only the limit of the whole body bounds its length. */
export function oauthText(description?: string, maxLength = limits.oauthBodyMaxBytes) {
  return Type.String({ maxLength, ...(description === undefined ? {} : { description }) })
}

/** Prefix of a pushed authorization request's URI, before its attempt's ID (RFC 9126, section 2.2). */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'
