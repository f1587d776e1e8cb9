import { subscriptionTestsPerMinute } from '../../../domain/limits/limits.ts'
import type { SubscriptionRefusalReason } from '../../../domain/subscriptions/subscriptions.ts'
import type { WireError } from '../../../rest/wire-errors.ts'

const urlFault = (detail: string): WireError => ({ status: 400, pointer: '#/url', detail })
export const subscriptionErrors: Record<SubscriptionRefusalReason, WireError> = {
  'url-malformed': urlFault('Expected: an https:// URL such as https://example.com/events.'),
  'url-too-long': urlFault('The URL is too long. Expected: at most 2048 characters.'),
  'url-with-credentials': urlFault(
    'The URL contains a user name or password. Remove it, and check the signature instead.',
  ),
  'url-with-fragment': urlFault('The URL contains a fragment, which is never sent. Remove it.'),
  'url-not-https': urlFault('The URL must use https://.'),
  'types-missing': { status: 400, pointer: '#/types', detail: 'Expected: at least one type.' },
  'owner-unknown': { status: 400, pointer: '#/ownerId', detail: 'There is no such user. Create the user first.' },
  'owner-differs': {
    status: 409,
    pointer: '#/ownerId',
    detail: 'The subscription has another owner, which can’t be changed. Create another subscription.',
  },
  'too-many': { status: 409, detail: 'The owner has too many subscriptions. Delete an unused one first.' },
  'subscription-unknown': { status: 404, detail: 'There is no such subscription. GET /v1/subscriptions lists them.' },
  'event-unknown': { status: 404, detail: 'There is no such event. It may be older than the log.' },
  'tests-too-many': {
    status: 429,
    detail: `A subscription takes ${subscriptionTestsPerMinute} test events a minute. Try again in a minute.`,
  },
  'outbox-full': { status: 503, detail: 'Too many events are waiting for this subscription. Try again later.' },
  'queue-unavailable': { status: 503, detail: 'The event can’t be stored at the moment. Try again in a moment.' },
}
