import type { FastifyPluginAsync } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { requestBodyMaxBytes } from '../../domain/limits/limits.ts'
import type { DeliveryLog } from '../../domain/webhooks/delivery-log.ts'
import { restApi } from '../../rest/rest-api.ts'
import { botRoutes } from './bots/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { ownerApiDescription } from './document.ts'
import { flowRoutes } from './flows/routes.ts'
import { logRoutes } from './logs/routes.ts'
import type { OwnerCaller, OwnerOperation } from './owner-operation.ts'
import { runtimeRoutes } from './runtimes/routes.ts'
import { TokenGuard, type TokenGuardParts } from './token-guard.ts'
import { tokenRoutes } from './token-routes.ts'
import { problemOfRefusal } from './wire-errors.ts'

export type OwnerApiServices = TokenGuardParts & {
  bots: Bots
  deliveryLog: DeliveryLog
  clock: Clock
  baseUrl: string
}

/** The API for owners under `/api/v1`, for holders of a personal access token, and its description. */
export function ownerApiSurface(services: OwnerApiServices): FastifyPluginAsync {
  const guard = new TokenGuard(services)
  return restApi<OwnerCaller, OwnerOperation>({
    name: 'owner API',
    prefix: '/api/v1',
    documentPath: '/api/openapi.json',
    description: ownerApiDescription(services.baseUrl),
    routes: [
      ...tokenRoutes,
      ...botRoutes(services),
      ...deliveryRoutes(services),
      ...flowRoutes(services),
      ...runtimeRoutes(services),
      ...logRoutes(services),
    ],
    bodyMaxBytes: requestBodyMaxBytes,
    authenticate: (request) => guard.authenticate(request),
    authorize: (caller, operation) => guard.authorize(caller, operation),
    problemOf: problemOfRefusal,
  })
}
