import type { FastifyPluginAsync } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import { browserInfo } from '../../http/request-origin.ts'
import type { ApiDescription } from '../engine/document.ts'
import { answerErrorsAsProblems, restApi } from '../engine/rest-api.ts'
import type { OperatorServices } from './api.ts'
import { applicationRoutes } from './applications.ts'
import { auditExport, provisionedBy } from './audit.ts'
import { botRoutes, collaboratorRoutes, guildRoutes } from './bots.ts'
import { operatorDeliveryRoutes } from './deliveries.ts'
import { flowRoutes } from './flows.ts'
import { logRoutes } from './logs.ts'
import { type OperatorGuardParts, operatorGuard } from './operator-guard.ts'
import { operatorKeyRoutes } from './operator-keys.ts'
import { operatorRuntimeRoutes } from './runtimes.ts'
import { scopeRoutes } from './scopes.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { userRoutes } from './users.ts'
import { problemOfRefusal } from './wire-errors.ts'

/** The provisioning API under `/v1`, for holders of an operator key, and its description at `/openapi.json`. */
export function provisioningSurface(
  services: OperatorServices & OperatorGuardParts & { controlUrl: string },
): FastifyPluginAsync {
  const routes = [
    ...userRoutes(services),
    ...applicationRoutes(services),
    ...botRoutes(services),
    ...collaboratorRoutes(services),
    ...guildRoutes(services),
    ...flowRoutes(services),
    ...logRoutes(services),
    ...operatorDeliveryRoutes(services),
    ...operatorRuntimeRoutes(services),
    ...scopeRoutes(services),
    ...operatorKeyRoutes(services),
    ...subscriptionRoutes(services),
    auditExport(services),
  ]
  const api = {
    name: 'provisioning',
    prefix: '/v1',
    documentPath: '/openapi.json',
    bodyMaxBytes: limits.provisioningBodyMaxBytes,
  }

  return async (app) => {
    answerErrorsAsProblems(app, api)
    await app.register(
      restApi<Operator>({
        ...api,
        description: provisioningDescription(services.controlUrl),
        routes,
        authenticate: operatorGuard(services),
        problemOf: problemOfRefusal,
        async completed({ request, ...call }) {
          const done = provisionedBy(call)
          if (done === undefined) return
          try {
            await services.audit.record({ ...done, origin: browserInfo(request) })
          } catch (error) {
            if (call.operation.method === 'get') throw error
            // The change is stored. An error would lose a new secret, and a repetition would record nothing.
            request.log.error({ err: error, event: done }, 'audit event not stored')
          }
        },
      }),
    )
  }
}

function provisioningDescription(controlUrl: string): ApiDescription {
  return {
    info: {
      title: 'Gatehouse provisioning',
      version: '1',
      description:
        'For operators: manages users, applications, bots with their flows and collaborators (coworkers), runtimes, scopes, ' +
        'deliveries, subscriptions and operator keys. PUT creates (201) or changes (200) a record. Absent members keep their ' +
        'value; null clears it. Lists are paginated: to get the next page, send the value of next as after.',
    },
    serverUrl: controlUrl,
    security: { operatorKey: { type: 'http', scheme: 'bearer', description: 'An operator key.' } },
    problems: {
      400: 'The path, query or body is invalid. Nothing was changed.',
      401: 'The operator key is missing or wrong.',
      403: 'The operator key has read access only. Nothing was changed.',
      404: 'The record or the URL doesn’t exist.',
      409: 'Another record has a value that must be unique, there are too many records, or the record’s state doesn’t allow the call. Nothing was changed.',
      429: 'Too many wrong operator keys from this address. Retry-After says when to try again.',
      503: 'The service can’t use its database or queue, or is overloaded. Retry-After says when to try again.',
    },
    canHave({ method, conflicts }, problemStatus) {
      if (problemStatus === 409) return method === 'put' || conflicts === true
      return problemStatus !== 403 || method !== 'get'
    },
  }
}
