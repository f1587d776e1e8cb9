import { Refusal } from '../refusal.ts'

export type SubscriptionRefusalReason =
  | 'url-malformed'
  | 'url-too-long'
  | 'url-with-credentials'
  | 'url-with-fragment'
  | 'url-not-https'
  | 'types-missing'
  | 'owner-unknown'
  | 'owner-differs'
  | 'too-many'
  | 'subscription-unknown'
  | 'event-unknown'
  | 'tests-too-many'
  | 'outbox-full'
  | 'queue-unavailable'

export class SubscriptionRefusal extends Refusal<SubscriptionRefusalReason> {}
