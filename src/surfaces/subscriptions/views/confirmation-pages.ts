import type { Subscription } from '../../../domain/subscriptions/subscription-store.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { removalWords, secretWords, subscriptionFormWords } from '../words.ts'
import { listAddress, listTrail, subscriptionsFrame } from './frame.ts'

export interface ConfirmationView {
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
