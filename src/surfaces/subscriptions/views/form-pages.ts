import { type EventType, eventTypes } from '../../../domain/subscriptions/outgoing-event.ts'
import type { Subscription } from '../../../domain/subscriptions/subscription-store.ts'
import type { SubscriptionForm } from '../../../domain/subscriptions/subscriptions.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { errorSummary, notice } from '../../../pages/components/notice.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { FormError } from '../error-words.ts'
import {
  eventTypeWords,
  removalWords,
  secretWords,
  subscriptionFormWords,
  subscriptionFormWords as words,
} from '../words.ts'
import { listAddress, listTrail, subscriptionsFrame } from './list-page.ts'

interface FormView {
  person: Person
  /** ID of the subscription to change. `undefined` adds one. */
  id: string | undefined
  form: { url: string; types: readonly EventType[]; enabled?: SubscriptionForm['enabled'] }
  errors: readonly FormError[]
}

/** Renders the form that adds or changes a subscription. */
export function formPage({ person, id, form, errors }: FormView): Html {
  const address = id === undefined ? listAddress : `${listAddress}/${id}`
  const title = id === undefined ? words.add : words.edit
  const messages = (field: FormError['field']) =>
    errors.filter((error) => error.field === field).map(({ message }) => message)
  const ofFields = errors.flatMap(({ field, message }) => (field === undefined ? [] : { field, message }))
  return subscriptionsFrame(person, {
    title,
    trail: [...listTrail, ...(id === undefined ? [] : [{ name: form.url, href: address }]), { name: title }],
    canonical: id === undefined ? `${address}/new` : `${address}/edit`,
    body: html`<h1>${title}</h1>
${messages(undefined).map((body) => notice({ tone: 'bad', body }))}
${errorSummary(ofFields)}
<form class="card" method="post" action="${address}" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'url',
  label: words.url,
  hint: words.urlHint,
  type: 'url',
  inputmode: 'url',
  autocomplete: 'off',
  code: true,
  value: form.url,
  error: messages('url'),
})}
${choices({
  name: 'types',
  label: words.types,
  choose: 'several',
  chosen: form.types,
  among: eventTypes.map((value) => ({
    value,
    label: eventTypeWords[value].name,
    hint: html`<code>${value}</code><br>${eventTypeWords[value].hint}`,
  })),
  error: messages('types'),
})}
${
  id !== undefined &&
  choices({
    name: 'enabled',
    label: words.enabled,
    choose: 'several',
    chosen: form.enabled === true ? ['yes'] : [],
    among: [{ value: 'yes', label: words.on, hint: words.onHint }],
  })
}
${buttonRow(
  button({ label: id === undefined ? words.create : words.save, tone: 'primary' }),
  linkButton({ label: words.cancel, href: address, tone: 'quiet' }),
)}
</form>`,
  })
}

interface ConfirmationView {
  person: Person
  subscription: Subscription
}

export function rotateSecretPage(view: ConfirmationView & { nowMs: number }): Html {
  const { previousSecretEndsAtMs: endsAtMs } = view.subscription
  return confirmationPage(view, {
    title: secretWords.rotateTitle,
    effect: html`<p>${secretWords.rotateEffect}</p>${endsAtMs !== null && endsAtMs > view.nowMs && html`<p>${secretWords.rotateAgain}</p>`}`,
    action: 'secret',
    label: secretWords.rotate,
  })
}

export function removalPage(view: ConfirmationView): Html {
  const { title, effect, remove } = removalWords
  return confirmationPage(view, { title, effect: html`<p>${effect}</p>`, action: 'removal', label: remove })
}

function confirmationPage(
  { person, subscription }: ConfirmationView,
  { title, effect, action, label }: { title: Text; effect: Html; action: string; label: Text },
): Html {
  const address = `${listAddress}/${subscription.id}`
  return subscriptionsFrame(person, {
    title,
    trail: [...listTrail, { name: subscription.url, href: address }],
    width: 'narrow',
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight"><p><code>${subscription.url}</code></p>${effect}</div>
<form method="post" action="${address}/${action}"><input type="hidden" name="form_token" value="${person.formToken}">
${buttonRow(
  button({ label, tone: 'dangerous' }),
  linkButton({ label: subscriptionFormWords.cancel, href: address, tone: 'quiet' }),
)}
</form></div>`,
  })
}
