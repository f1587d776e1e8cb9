import { Refusal } from '../refusal.ts'

export type SubscriptionRefusalReason =
  | 'url-malformed'
  | 'url-too-long'
  | 'url-with-credentials'
  | 'url-with-fragment'
  | 'url-not-https'
  | 'url-internal'
  | 'types-missing'
  | 'owner-unknown'
  | 'email-unconfirmed'
  | 'owner-differs'
  | 'too-many'
  | 'subscription-unknown'
  | 'event-unknown'
  | 'tests-too-many'
  | 'outbox-full'
  | 'queue-unavailable'

export class SubscriptionRefusal extends Refusal<SubscriptionRefusalReason> {}
