import * as limits from '../../domain/limits/limits.ts'
import { SubscriptionRefusal, type SubscriptionRefusalReason } from '../../domain/subscriptions/subscription-refusal.ts'
import { confirmEmailFirst } from '../../pages/account-refusals.ts'
import { errorsBy, type Refusals } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'

/** How the forms show refusals. */
const refusals: Refusals<SubscriptionRefusalReason> = {
  'url-malformed': ['url', t`Enter a complete URL, such as https://example.com/events.`],
  'url-too-long': ['url', t`The URL can have at most ${limits.subscriptionUrlMaxCharacters} characters.`],
  'url-with-credentials': [
    'url',
    t`Remove the user name and password from the URL. Your server checks the signature instead.`,
  ],
  'url-with-fragment': ['url', t`Remove the part after #. It is never sent.`],
  'url-not-https': ['url', t`The URL must use https://.`],
  'url-internal': [
    'url',
    t`Events can’t be sent to this host, because it is internal. Enter one that is reachable from the internet.`,
  ],
  'types-missing': ['types', t`Choose at least one event.`],
  'too-many': t`You have ${limits.subscriptionsPerOwner} subscriptions already. Remove one first.`,
  'email-unconfirmed': confirmEmailFirst,
  'tests-too-many': t`Too many test events. Try again in a minute.`,
  'outbox-full': t`Too many events are waiting for this subscription. Check your server first.`,
  'queue-unavailable': t`The event could not be stored. Try again in a moment.`,
  'subscription-unknown': 'missing',
  'event-unknown': 'missing',
  'owner-unknown': undefined,
  'owner-differs': undefined,
}

export const subscriptionErrors = errorsBy(SubscriptionRefusal, refusals)

export function isMissing(error: unknown): boolean {
  return error instanceof SubscriptionRefusal && refusals[error.reason] === 'missing'
}
