import type { Flow, FlowKey, FlowWebhook } from '../../../domain/bots/flow.ts'
import { button } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { codeSample } from '../../../http/components/code-sample.ts'
import { copyField } from '../../../http/components/copy-field.ts'
import { notice, state } from '../../../http/components/notice.ts'
import { secretReveal } from '../../../http/components/secret-reveal.ts'
import { table } from '../../../http/components/table.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { doneNotice } from './done-notice.ts'
import { type FlowInput, signatureSection, takingSection } from './flow-settings-sections.ts'
import { webhookAddress } from './flows-page.ts'

export interface FlowView extends BotPageView {
  flow: Flow
  may: { keys: boolean; flows: boolean }
  apiUrl: string
  errors: readonly FormError[]
  input: FlowInput
  /** A key made by this very request. */
  clearTextKey: string | undefined
  done: unknown
}

export function flowPage(view: FlowView): Html {
  const { bot, flow, errors, clearTextKey, done } = view
  return botPartPage(view, {
    part: 'flows',
    title: flow.name,
    canonical: `/bots/${bot.id}/flows/${flow.id}`,
    shownOnce: clearTextKey !== undefined,
    done: doneNotice(done),
    body: html`<h2>${flow.name}</h2>
${errors.filter(({ field }) => field === undefined).map(({ message }) => notice({ tone: 'bad', body: message }))}
${clearTextKey !== undefined && keyOnce(clearTextKey)}
${
  flow.webhook === null
    ? html`<p>This flow takes no webhooks. On the platform, a flow of the kind <code>event</code> can listen for them.</p>`
    : html`${addressSection(view, flow.webhook)}${keySection(view, flow.webhook)}${view.may.flows && takingSection(view, flow.webhook)}${view.may.flows && view.may.keys && signatureSection(view, flow.webhook)}${testSection(view)}`
}`,
  })
}

function keyOnce(clearText: string): Html {
  return secretReveal({
    title: 'The flow has a new key',
    label: 'Flow key',
    clearText,
    testId: 'flow-key',
    explain: html`<p>Give it to the senders now: <strong>it is shown this once</strong>, and nobody can show it again. They send it in the header <code>svc-key</code>.</p>`,
  })
}

function addressSection({ bot, flow, apiUrl }: FlowView, webhook: FlowWebhook): Html {
  const address = webhookAddress(apiUrl, bot.id, webhook.path)
  const key = webhook.requiresKey ? ` \\\n  -H 'svc-key: THE-KEY'` : ''
  return section({
    id: 'address',
    title: 'Webhook',
    about: html`<p>Whatever is posted there, up to 1 MiB, starts this flow. It is kept until a runtime has done it.</p>`,
    body: html`<div class="card">${copyField({ label: 'Webhook address', text: address, testId: 'webhook-address' })}
<dl><dt>Flow id</dt><dd><code>${flow.id}</code></dd>
<dt>Order</dt><dd>${webhook.ordered ? 'Strict: each waits until the one before it is done' : 'Not strict: one that fails does not hold up the others'}</dd></dl></div>
${codeSample({
  name: 'send',
  title: 'Send a webhook',
  samples: [
    {
      language: 'curl',
      code: `curl -X POST '${address}'${key} \\\n  -H 'content-type: application/json' \\\n  -d '{"hello":"bot"}'`,
    },
  ],
})}`,
  })
}

function keyNeed({ requiresKey, signature }: FlowWebhook): Html {
  if (requiresKey) return state({ tone: 'good', word: 'A key is needed' })
  if (signature !== null) {
    return html`<div class="stack tight">${state({ tone: 'neutral', word: 'No key is needed' })}<p>Senders sign instead: what is not signed is refused.</p></div>`
  }
  return html`<div class="stack tight">${state({ tone: 'warn', word: 'No key is needed' })}<p>Whoever knows the address can start this flow. On the platform, you can make it need a key.</p></div>`
}

function keySection({ bot, flow, may, nowMs, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return section({
    id: 'keys',
    title: 'Key',
    about: html`<p>Senders show it in the header <code>svc-key</code>. While you change it, the old one can work on for 24 hours.</p>`,
    body: html`<div class="card">${keyNeed(webhook)}
${
  webhook.keys.length > 0 &&
  table({
    caption: 'Keys that work, the current one first',
    rows: webhook.keys,
    columns: [
      {
        title: 'Key',
        cell: ({ lastFour }) => html`<code>••••${clearTextKey?.endsWith(lastFour) ? '' : lastFour}</code>`,
      },
      { title: 'Made', cell: ({ madeAtMs }) => time(madeAtMs, nowMs) },
      { title: 'Last used', cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'Never' : time(lastUsedAtMs, nowMs)) },
      {
        title: 'Works',
        cell: ({ endsAtMs }) => (endsAtMs === null ? 'Until it is replaced' : html`Ends ${time(endsAtMs, nowMs)}`),
      },
      ...(may.keys ? [{ title: 'End it', cell: (key: FlowKey) => endOf(key, address, webhook) }] : []),
    ],
  })
}
${may.keys && html`<form method="get" action="${address}/key"><div class="buttons">${button({ label: webhook.keys.length > 0 ? 'Replace the key' : 'Make a key', tone: 'plain' })}</div></form>`}
</div>`,
  })
}

/** The current key of a flow that needs one can only be replaced. */
function endOf({ number, endsAtMs, lastFour }: FlowKey, address: string, { requiresKey }: FlowWebhook): Html {
  if (requiresKey && endsAtMs === null) return html`<span class="soft">Replace it</span>`
  return html`<a class="button dangerous small" href="${address}/keys/${number}/end">End now<span class="hidden-visually"> the key ${lastFour}</span></a>`
}

function testSection({ bot, flow, may, person }: FlowView): Html | false {
  return (
    may.flows &&
    section({
      id: 'test',
      title: 'Test',
      about: html`<p>Sends a webhook to this flow, as any sender could, without its key.</p>`,
      body: html`<form class="card" method="post" action="/bots/${bot.id}/flows/${flow.id}/test"><input type="hidden" name="form_token" value="${person.formToken}">
<p>The flow gets a small JSON body that says <code>"test": true</code>, with the user agent <code>Gatehouse-Test/1</code>. It does with it what it does with any webhook.</p>
<div class="buttons">${button({ label: 'Send a test', tone: 'plain' })}</div></form>`,
    })
  )
}
