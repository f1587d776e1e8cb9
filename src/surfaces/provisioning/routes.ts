import type { FastifyError, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { provisioningBodyMaxBytes } from '../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { applicationRoutes } from './applications/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { botRoutes } from './bots/routes.ts'
import { coworkerRoutes } from './coworkers/routes.ts'
import { provisioningDocument } from './document.ts'
import { flowRoutes } from './flows/routes.ts'
import { guildRoutes } from './guilds/routes.ts'
import { logRoutes } from './logs/routes.ts'
import type { Parameters, Route } from './operation.ts'
import { OperatorGuard, type OperatorGuardParts } from './operator-guard.ts'
import { operatorKeyRoutes } from './operator-keys/routes.ts'
import { Problem, sendProblem } from './problem.ts'
import { provisionedBy } from './provisioned.ts'
import { runtimeRoutes } from './runtimes/routes.ts'
import { scopeRoutes } from './scopes/routes.ts'
import { serializerCompiler } from './serialize-body.ts'
import { userRoutes } from './users/routes.ts'
import { validatorCompiler } from './validate-body.ts'
import { problemOfRefusal } from './wire-errors.ts'

export interface ProvisioningServices {
  accounts: Pick<Accounts, 'users' | 'recovery'>
  applications: Pick<Applications, 'clients' | 'provisioned'>
  audit: Audit
  authorization: Pick<Authorization, 'scopes'>
  bots: Pick<Bots, 'records' | 'flows' | 'runtimes' | 'logs'>
  clock: Clock
}

/** The provisioning API under `/v1`, for holders of an operator key, and its description at `/openapi.json`. */
export function provisioningSurface(
  services: ProvisioningServices & OperatorGuardParts & { baseUrl: string; controlUrl: string },
): FastifyPluginAsync {
  const guard = new OperatorGuard(services)
  const routes = [
    ...userRoutes(services),
    ...applicationRoutes(services),
    ...botRoutes(services),
    ...coworkerRoutes(services),
    ...guildRoutes(services),
    ...flowRoutes(services),
    ...logRoutes(services),
    ...runtimeRoutes(services),
    ...scopeRoutes(services),
    ...operatorKeyRoutes(services),
    ...auditRoutes(services),
  ]
  const operations = routes.map(({ operation }) => operation)
  const document = JSON.stringify(provisioningDocument(services.controlUrl, operations))

  return async (app) => {
    answerErrorsAsProblems(app)
    app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(document))

    await app.register(
      async (versioned) => {
        takeJson(versioned)
        answerErrorsAsProblems(versioned)
        versioned.setValidatorCompiler(validatorCompiler)
        versioned.setSerializerCompiler(serializerCompiler)
        versioned.addHook('onRequest', (request) => guard.admit(request))
        for (const one of routes) mount(versioned, one, { audit: services.audit, guard })
        refuseOtherMethods(versioned, routes)
      },
      { prefix: '/v1' },
    )
  }
}

function mount(
  app: FastifyInstance,
  { operation, handle }: Route,
  { audit, guard }: { audit: Audit; guard: OperatorGuard },
): void {
  const { body, responses } = operation
  const response = Object.fromEntries(
    Object.entries(responses).flatMap(([status, { schema, lines }]) => (schema && !lines ? [[status, schema]] : [])),
  )
  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    schema: { ...(body === undefined ? {} : { body }), response },
    bodyLimit: provisioningBodyMaxBytes,
    async handler(request, reply) {
      try {
        const parameters = request.params as Parameters
        const query = request.query as Record<string, unknown>
        const { status, body } = await handle({ parameters, query, body: request.body })
        // Audited here, for all calls, so that no call can be left out (decision 0014).
        const by = guard.operatorOf(request)
        const done = provisionedBy(operation, { by, parameters, status, requestBody: request.body, responseBody: body })
        if (done !== undefined) await audit.record({ ...done, origin: browserInfo(request) })
        if (responses[status]?.lines) reply.type('application/x-ndjson')
        // The body may contain secrets.
        return reply.code(status).header('cache-control', 'no-store').send(body)
      } catch (error) {
        throw problemOfRefusal(error, request.body) ?? error
      }
    },
  })
}

/** Responds with 405 and `Allow` to other methods on known paths. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const paths = Map.groupBy(routes, ({ operation }) => operation.path)
  for (const [path, ofPath] of paths) {
    const taken = ofPath.map(({ operation }) => operation.method.toUpperCase())
    if (taken.includes('GET')) taken.push('HEAD')
    const allow = taken.join(', ')
    app.route({
      method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'].filter((method) => !taken.includes(method)),
      url: fastifyPath(path),
      // Runs before the body is read, so the body's type doesn't matter.
      async onRequest(request) {
        throw new Problem(405, `${request.method} is not allowed here. Allowed methods: ${allow}.`, {
          headers: { allow },
        })
      },
      handler: () => {},
    })
  }
}

function fastifyPath(path: string): string {
  return path.slice('/v1'.length).replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Accepts only JSON. An empty body counts as absent, so validation reports it like any other fault. */
function takeJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else parseJson(request, text as string, done)
  })
}

function answerErrorsAsProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new Problem(404, 'There is nothing at this URL. /openapi.json describes the API.')),
  )
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = error instanceof Problem ? error : problemOfFastify(error)
    if (problem.status >= 500) request.log.error({ err: error }, 'provisioning request failed')
    return sendProblem(reply, problem)
  })
}

function problemOfFastify(error: FastifyError): Problem {
  if (error instanceof StoreUnavailable) {
    return new Problem(503, 'The service can’t reach its database. Nothing was changed. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }
  if (error.statusCode === 413) {
    return new Problem(413, `The body is larger than ${provisioningBodyMaxBytes} bytes. Send a smaller one.`)
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
