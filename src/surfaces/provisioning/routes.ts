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
  { operation, answer }: Route,
  { audit, guard }: { audit: Audit; guard: OperatorGuard },
): void {
  const { body, answers } = operation
  const response = Object.fromEntries(
    Object.entries(answers).flatMap(([status, { schema, lines }]) => (schema && !lines ? [[status, schema]] : [])),
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
        const { status, body } = await answer({ parameters, query, body: request.body })
        // Every call passes here, so that none can forget it; see decision 0014.
        const by = guard.operatorOf(request)
        const done = provisionedBy(operation, { by, parameters, status, sent: request.body, answered: body })
        if (done !== undefined) await audit.record({ ...done, origin: browserInfo(request) })
        if (answers[status]?.lines) reply.type('application/x-ndjson')
        // Secrets may be in it.
        return reply.code(status).header('cache-control', 'no-store').send(body)
      } catch (error) {
        throw problemOfRefusal(error, request.body) ?? error
      }
    },
  })
}

/** An address that exists answers other methods 405 and says which it takes. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const paths = Map.groupBy(routes, ({ operation }) => operation.path)
  for (const [path, ofPath] of paths) {
    const taken = ofPath.map(({ operation }) => operation.method.toUpperCase())
    if (taken.includes('GET')) taken.push('HEAD')
    const allow = taken.join(', ')
    app.route({
      method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'].filter((method) => !taken.includes(method)),
      url: fastifyPath(path),
      // Before the body is read, whatever its type.
      async onRequest(request) {
        throw new Problem(405, `${request.method} is not for this address. It takes ${allow}.`, { headers: { allow } })
      },
      handler: () => {},
    })
  }
}

function fastifyPath(path: string): string {
  return path.slice('/v1'.length).replaceAll(/\{(\w+)\}/g, ':$1')
}

/** JSON only; an empty body is no body, so that its faults are named like those of any other. */
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
    sendProblem(reply, new Problem(404, 'There is nothing at this address. /openapi.json lists what there is.')),
  )
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = error instanceof Problem ? error : problemOfFastify(error)
    if (problem.status >= 500) request.log.error({ err: error }, 'provisioning failed')
    return sendProblem(reply, problem)
  })
}

function problemOfFastify(error: FastifyError): Problem {
  if (error instanceof StoreUnavailable) {
    return new Problem(503, 'The service can’t reach its data, so nothing was changed. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }
  if (error.statusCode === 413) {
    return new Problem(413, `The body is larger than ${provisioningBodyMaxBytes} bytes. Send less at once.`)
  }
  if (error.statusCode === 415) {
    return new Problem(415, 'Send the body as JSON, with the header Content-Type: application/json.')
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    // Without the parser's words: they quote the body, and it may hold a password.
    return new Problem(400, "The body can't be read as JSON. Send one JSON object.")
  }
  return new Problem(500, 'The service failed at this request. Its log says why; try again once that is mended.')
}
