import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { LinkPurpose } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Operator, OperatorKeys } from '../../domain/operators/operator-keys.ts'
import type { People } from '../../domain/people/people.ts'
import type { OutgoingEvents } from '../../domain/subscriptions/outgoing-events.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import type { EventAccess } from '../../domain/webhooks/event-access.ts'
import { newApi } from '../engine/api.ts'

export const api = newApi<Operator>(() => null)

export interface OperatorServices {
  accounts: Pick<Accounts, 'users' | 'recovery'>
  applications: Pick<Applications, 'clients' | 'provisioned'>
  audit: Audit
  authorization: Pick<Authorization, 'scopes' | 'tokens'>
  bots: Pick<Bots, 'records' | 'flows' | 'runtimes' | 'logs'>
  operatorKeys: OperatorKeys
  events: Pick<OutgoingEvents, 'subscriptions' | 'log'>
  clock: Clock
  eventAccess: EventAccess
  people: People
  queue: Pick<DeliveryQueue, 'log'>
  recoveryUrl: (purpose: LinkPurpose, clearTextToken: string) => string
}
