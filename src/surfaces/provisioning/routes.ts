import type { FastifyPluginAsync } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { provisioningBodyMaxBytes } from '../../domain/limits/limits.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import type { People } from '../../domain/people/people.ts'
import type { OutgoingEvents } from '../../domain/subscriptions/outgoing-events.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import type { EventActions } from '../../domain/webhooks/event-actions.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Operation } from '../../rest/operation.ts'
import { answerErrorsAsProblems, restApi } from '../../rest/rest-api.ts'
import { applicationAccessRoutes } from './applications/access-routes.ts'
import { applicationListRoutes } from './applications/list.ts'
import { applicationRoutes } from './applications/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { botListRoutes } from './bots/list.ts'
import { botRoutes } from './bots/routes.ts'
import { coworkerListRoutes } from './coworkers/list.ts'
import { coworkerRoutes } from './coworkers/routes.ts'
import { deliveryActionRoutes } from './deliveries/actions-routes.ts'
import { queueRoutes } from './deliveries/queues.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { provisioningDescription } from './document.ts'
import { flowListRoutes } from './flows/list.ts'
import { flowRoutes } from './flows/routes.ts'
import { guildRoutes } from './guilds/routes.ts'
import { logRoutes } from './logs/routes.ts'
import { OperatorGuard, type OperatorGuardParts } from './operator-guard.ts'
import { operatorKeyRoutes } from './operator-keys/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { provisionedBy } from './provisioned.ts'
import { runtimeListRoutes } from './runtimes/list.ts'
import { runtimeRoutes } from './runtimes/routes.ts'
import { scopeListRoutes } from './scopes/list.ts'
import { scopeRoutes } from './scopes/routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { userAccessRoutes } from './users/access-routes.ts'
import { userListRoutes } from './users/list.ts'
import { userRoutes } from './users/routes.ts'
import { problemOfRefusal } from './wire-errors.ts'

export interface ProvisioningServices {
  accounts: Pick<Accounts, 'users' | 'recovery'>
  applications: Pick<Applications, 'clients' | 'provisioned'>
  audit: Audit
  authorization: Pick<Authorization, 'scopes' | 'tokens'>
  bots: Pick<Bots, 'records' | 'list' | 'flows' | 'runtimes' | 'logs'>
  events: Pick<OutgoingEvents, 'subscriptions' | 'log'>
  clock: Clock
  eventActions: EventActions
  people: People
  queue: Pick<DeliveryQueue, 'log'>
}

/** The provisioning API under `/v1`, for holders of an operator key, and its description at `/openapi.json`. */
export function provisioningSurface(
  services: ProvisioningServices & OperatorGuardParts & { baseUrl: string; controlUrl: string },
): FastifyPluginAsync {
  const guard = new OperatorGuard(services)
  const routes = [
    ...userRoutes(services),
    ...userAccessRoutes(services),
    ...peopleRoutes(services),
    ...applicationRoutes(services),
    ...applicationAccessRoutes(services),
    ...botRoutes(services),
    ...coworkerRoutes(services),
    ...guildRoutes(services),
    ...flowRoutes(services),
    ...logRoutes(services),
    ...deliveryActionRoutes(services),
    ...runtimeRoutes(services),
    ...scopeRoutes(services),
    ...operatorKeyRoutes(services),
    ...subscriptionRoutes(services),
    ...auditRoutes(services),
    ...userListRoutes(services),
    ...applicationListRoutes(services),
    ...botListRoutes(services),
    ...flowListRoutes(services),
    ...runtimeListRoutes(services),
    ...deliveryRoutes(services),
    ...queueRoutes(services),
    ...coworkerListRoutes(services),
    ...scopeListRoutes(services),
  ]
  const api = {
    name: 'provisioning',
    prefix: '/v1',
    documentPath: '/openapi.json',
    bodyMaxBytes: provisioningBodyMaxBytes,
  }

  return async (app) => {
    answerErrorsAsProblems(app, api)
    await app.register(
      restApi<Operator, Operation>({
        ...api,
        description: provisioningDescription(services.controlUrl),
        routes,
        authenticate: (request) => guard.admit(request),
        problemOf: problemOfRefusal,
        async completed({ request, ...call }) {
          const done = provisionedBy(call)
          if (done !== undefined) await services.audit.record({ ...done, origin: browserInfo(request) })
        },
      }),
    )
  }
}
