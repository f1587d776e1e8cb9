import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import { button } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { codeSample } from '../../../pages/components/code-sample.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { errorSummary } from '../../../pages/components/error-summary.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secret-reveal.ts'
import { table } from '../../../pages/components/table.ts'
import { time, timeUntil } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords } from '../words.ts'
import { type FlowInput, orderSection, signatureSection } from './flow-settings-sections.ts'
import { webhookAddress } from './flows-page.ts'
import { needsRelay, relaySample } from './relay-sample.ts'
import { sendSample } from './send-sample.ts'
import { senderWords } from './sender-words.ts'
import { flowWords } from './words.ts'

export interface FlowView extends BotPageView {
  flow: Flow
  may: { keys: boolean; flows: boolean }
  apiUrl: string
  portalUrl: string
  errors: readonly FormError[]
  input: FlowInput
  /** The key created by this request. */
  clearTextKey: string | undefined
  done: string | undefined
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
${errorSummary(errors.flatMap(({ field, message }) => (field === undefined ? [] : [{ field, message }])))}
${clearTextKey !== undefined && newKeyReveal(clearTextKey)}
${
  flow.webhook === null
    ? html`<p>${flowWords.takesNone}</p>`
    : html`${addressSection(view, flow.webhook)}${keySection(view, flow.webhook)}${view.may.flows && orderSection(view, flow.webhook)}${view.may.flows && view.may.keys && signatureSection(view, flow.webhook)}${testSection(view)}`
}`,
  })
}

function newKeyReveal(clearText: string): Html {
  const { title, label, explain } = flowWords.keys.once
  return secretReveal({
    title,
    label,
    clearText,
    testId: 'flow-key',
    explain,
  })
}

function addressSection({ bot, flow, apiUrl, portalUrl }: FlowView, webhook: FlowWebhook): Html {
  const address = webhookAddress(apiUrl, bot.id, webhook.path)
  const words = flowWords.address
  const sample = sendSample(address, webhook)
  return section({
    id: 'address',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">${copyField({ label: flowWords.list.address, text: address, testId: 'webhook-address' })}
<dl><dt>${words.flowId}</dt><dd><code>${flow.id}</code></dd>
<dt>${words.order}</dt><dd>${webhook.ordered ? words.strict : words.notStrict}</dd></dl></div>
${senderNotes(address, webhook)}
${
  sample === undefined
    ? html`<p>${words.onlyDiscordSigns}</p>`
    : codeSample({ name: 'send', title: words.send, samples: [{ language: 'curl', code: sample }] })
}
<p><a href="${portalUrl}/guides/webhooks">${words.guide}</a></p>`,
  })
}

/** Returns what the owner needs to know before entering the URL at the sender. */
function senderNotes(address: string, webhook: FlowWebhook): Html | false {
  const preset = webhook.signature?.preset ?? ''
  if (preset === 'github' || preset === 'shopify') {
    return notice({ tone: 'neutral', title: senderWords.title, body: senderWords[preset] })
  }
  if (!needsRelay(preset)) return false
  const code = relaySample(address, preset, webhook)
  return html`${notice({ tone: 'warn', title: senderWords.title, body: senderWords[preset] })}
${codeSample({ name: 'relay', title: senderWords.relay, samples: [{ language: 'JavaScript', code }] })}`
}

function keyRequirement({ requiresKey, signature }: FlowWebhook): Html {
  const words = flowWords.keys
  if (requiresKey) return state({ tone: 'good', word: words.required })
  const signed = signature !== null
  return html`<div class="stack tight">${state({ tone: signed ? 'neutral' : 'warn', word: words.notRequired })}<p>${signed ? words.sendersSign : words.notRequiredMeans}</p></div>`
}

function keySection({ bot, flow, may, nowMs, person, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const words = flowWords.keys
  return section({
    id: 'keys',
    title: flowWords.keys.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">${keyRequirement(webhook)}
${
  webhook.keys.length > 0 &&
  table({
    caption: words.caption,
    rows: webhook.keys,
    columns: [
      {
        title: words.key,
        cell: ({ lastFour }) =>
          html`<code class="whole">••••${clearTextKey?.endsWith(lastFour) ? '' : lastFour}</code>`,
      },
      { title: words.created, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: words.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? botFrameWords.never : time(lastUsedAtMs, nowMs)),
      },
      {
        title: words.valid,
        cell: ({ endsAtMs }) => (endsAtMs === null ? words.untilReplaced : words.expires(timeUntil(endsAtMs, nowMs))),
      },
      ...(may.keys ? [{ title: words.action, cell: (key: OverlappingKey) => revokeLink(key, address, webhook) }] : []),
    ],
  })
}
${
  may.keys &&
  html`<form method="post" action="${address}/key-requirement"><input type="hidden" name="form_token" value="${person.formToken}"><input type="hidden" name="required" value="${webhook.requiresKey ? 'no' : 'yes'}"><div class="buttons">${button({ label: webhook.requiresKey ? words.stopRequiring : words.require, tone: webhook.requiresKey ? 'quiet' : 'plain' })}</div></form>
<form method="get" action="${address}/key"><div class="buttons">${button({ label: webhook.keys.length > 0 ? words.replace : words.create, tone: 'plain' })}</div></form>`
}
</div>`,
  })
}

/** Renders the link for revoking a key. If a flow requires a key, its current key can only be replaced. */
function revokeLink(
  { number, endsAtMs, lastFour }: OverlappingKey,
  address: string,
  { requiresKey }: FlowWebhook,
): Html {
  if (requiresKey && endsAtMs === null) return html`<span class="soft">${flowWords.keys.replaceOnly}</span>`
  return html`<a class="button dangerous small" href="${address}/keys/${number}/end">${flowWords.keys.revoke(lastFour)}</a>`
}

function testSection({ bot, flow, may, person }: FlowView): Html | false {
  return (
    may.flows &&
    section({
      id: 'test',
      title: flowWords.test.title,
      about: html`<p>${flowWords.test.about}</p>`,
      body: html`<form class="card" method="post" action="/bots/${bot.id}/flows/${flow.id}/test"><input type="hidden" name="form_token" value="${person.formToken}">
<p>${flowWords.test.body}</p>
<div class="buttons">${button({ label: flowWords.test.send, tone: 'plain' })}</div></form>`,
    })
  )
}
