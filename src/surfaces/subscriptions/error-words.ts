import * as limits from '../../domain/limits/limits.ts'
import type { SubscriptionRefusalReason } from '../../domain/subscriptions/subscriptions.ts'
import { t, type Words } from '../../pages/html.ts'
import { confirmEmailFirst } from '../../pages/words/account-form.ts'

export interface FormError {
  /** The field that has the error. `undefined` if the whole form is refused. */
  field: 'url' | 'types' | undefined
  message: Words
}

/** Marks reasons that no form can cause. If one occurs anyway, it is treated as an internal error. */
const notExpected = undefined

const url = (message: Words): FormError => ({ field: 'url', message })
const form = (message: Words): FormError => ({ field: undefined, message })

export const emailUnconfirmed: FormError = { field: undefined, message: confirmEmailFirst }

/** The texts of refusals. `'unknown'` shows the page for an unknown subscription. */
export const errorWords: Record<SubscriptionRefusalReason, FormError | 'unknown' | typeof notExpected> = {
  'url-malformed': url(t`Enter a complete URL, such as https://example.com/events.`),
  'url-too-long': url(t`The URL can have at most ${limits.subscriptionUrlMaxCharacters} characters.`),
  'url-with-credentials': url(
    t`Remove the user name and password from the URL. Your server checks the signature instead.`,
  ),
  'url-with-fragment': url(t`Remove the part after #. It is never sent.`),
  'url-not-https': url(t`The URL must use https://.`),
  'url-internal': url(
    t`Events can’t be sent to this host, because it is internal. Enter one that is reachable from the internet.`,
  ),
  'types-missing': {
    field: 'types',
    message: t`Choose at least one event.`,
  },
  'too-many': form(t`You have ${limits.subscriptionsPerOwner} subscriptions already. Remove one first.`),
  'email-unconfirmed': emailUnconfirmed,
  'tests-too-many': form(t`Too many test events. Try again in a minute.`),
  'outbox-full': form(t`Too many events are waiting for this subscription. Check your server first.`),
  'queue-unavailable': form(t`The event could not be stored. Try again in a moment.`),
  'subscription-unknown': 'unknown',
  'event-unknown': 'unknown',
  'owner-unknown': notExpected,
  'owner-differs': notExpected,
}
