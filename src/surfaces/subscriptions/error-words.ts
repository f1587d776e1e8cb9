import * as limits from '../../domain/limits/limits.ts'
import type { SubscriptionRefusalReason } from '../../domain/subscriptions/subscriptions.ts'
import { type Words, words } from '../../pages/html.ts'
import { confirmEmailFirst } from '../../pages/words/account-form.ts'

export interface FormError {
  /** The field that has the error. `undefined` if the whole form is refused. */
  field: 'url' | 'types' | undefined
  message: Words
}

/** Marks reasons that no form can cause. If one occurs anyway, it is treated as an internal error. */
const notExpected = undefined

type Message = Parameters<typeof words>[0]
const url = (message: Message): FormError => ({ field: 'url', message: words(message) })
const form = (message: Message): FormError => ({ field: undefined, message: words(message) })

export const emailUnconfirmed: FormError = { field: undefined, message: confirmEmailFirst }

/** The texts of refusals. `'unknown'` shows the page for an unknown subscription. */
export const errorWords: Record<SubscriptionRefusalReason, FormError | 'unknown' | typeof notExpected> = {
  'url-malformed': url({
    en: 'Enter a complete URL, such as https://example.com/events.',
    de: 'Geben Sie eine vollständige URL ein, etwa https://example.com/events.',
  }),
  'url-too-long': url({
    en: `The URL can have at most ${limits.subscriptionUrlMaxCharacters} characters.`,
    de: `Die URL darf höchstens ${limits.subscriptionUrlMaxCharacters} Zeichen lang sein.`,
  }),
  'url-with-credentials': url({
    en: 'Remove the user name and password from the URL. Your server checks the signature instead.',
    de: 'Entfernen Sie Benutzername und Passwort aus der URL. Ihr Server prüft stattdessen die Signatur.',
  }),
  'url-with-fragment': url({
    en: 'Remove the part after #. It is never sent.',
    de: 'Entfernen Sie den Teil ab #. Er wird nie gesendet.',
  }),
  'url-not-https': url({ en: 'The URL must use https://.', de: 'Die URL muss mit https:// beginnen.' }),
  'url-internal': url({
    en: 'Events can’t be sent to this host, because it is internal. Enter one that is reachable from the internet.',
    de: 'An diesen Host lassen sich keine Ereignisse senden, weil er intern ist. Geben Sie einen ein, der aus dem Internet erreichbar ist.',
  }),
  'types-missing': {
    field: 'types',
    message: words({ en: 'Choose at least one event.', de: 'Wählen Sie mindestens ein Ereignis aus.' }),
  },
  'too-many': form({
    en: `You have ${limits.subscriptionsPerOwner} subscriptions already. Remove one first.`,
    de: `Sie haben bereits ${limits.subscriptionsPerOwner} Abonnements. Entfernen Sie zuerst eines.`,
  }),
  'email-unconfirmed': emailUnconfirmed,
  'tests-too-many': form({
    en: 'Too many test events. Try again in a minute.',
    de: 'Zu viele Testereignisse. Versuchen Sie es in einer Minute erneut.',
  }),
  'outbox-full': form({
    en: 'Too many events are waiting for this subscription. Check your server first.',
    de: 'Für dieses Abonnement warten zu viele Ereignisse. Prüfen Sie zuerst Ihren Server.',
  }),
  'queue-unavailable': form({
    en: 'The event could not be stored. Try again in a moment.',
    de: 'Das Ereignis konnte nicht gespeichert werden. Versuchen Sie es in Kürze erneut.',
  }),
  'subscription-unknown': 'unknown',
  'event-unknown': 'unknown',
  'owner-unknown': notExpected,
  'owner-differs': notExpected,
}
