import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import type { RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { button, code, linkButton, notice, postForm, section, state } from '../../../pages/components/elements.ts'
import {
  codeSample,
  copyField,
  type ListedSecret,
  secretReveal,
  secretTable,
} from '../../../pages/components/secrets.ts'
import { errorNotices, fieldErrorSummary } from '../../../pages/form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { botPartPage } from '../bot-pages.ts'
import { refusedList } from '../deliveries/refused-webhooks.ts'
import { listedKey } from '../words.ts'
import { orderSection, type SettingsView, senderWords, signatureSection } from './flow-settings-sections.ts'
import { curlSample, needsRelay, nodeSample, pythonSample, relaySample, webhookAddress } from './samples.ts'

interface FlowView extends SettingsView {
  may: { keys: boolean; flows: boolean; test: boolean; manage: boolean }
  /** The flow's latest refused webhooks. `undefined` if the user isn't allowed to see them. */
  refused: readonly RefusedWebhooks[] | undefined
  clearTextKey: string | undefined
}

export function flowPage(view: FlowView): Html {
  const { bot, flow, errors, clearTextKey } = view
  return botPartPage(view, {
    part: 'flows',
    inside: { name: flow.name },
    styles: ['deliveries.css'],
    canonical: `/bots/${bot.id}/flows/${flow.id}`,
    shownOnce: clearTextKey !== undefined,
    body: html`${errorNotices(errors)}
${fieldErrorSummary(errors)}
${clearTextKey !== undefined && newKeyReveal(clearTextKey, flow.webhook?.requiresKey === true)}
${
  flow.webhook === null
    ? html`<p>${t`This flow can’t receive webhooks. Only flows of the kind ${code('event')} can. You set the kind on the platform.`}</p>`
    : html`${addressSection(view, flow.webhook)}${refusedSection(view)}${keySection(view, flow.webhook)}${view.may.flows && orderSection(view, flow.webhook)}${view.may.flows && view.may.keys && signatureSection(view, flow.webhook)}`
}
${view.may.manage && html`<div class="buttons">${linkButton({ label: t`Remove flow`, href: `/bots/${bot.id}/flows/${flow.id}/removal`, tone: 'dangerous' })}</div>`}`,
  })
}

function newKeyReveal(clearText: string, isRequired: boolean): Html {
  const effect = isRequired
    ? t`Webhooks without a key are now rejected.`
    : t`Webhooks without a key are still accepted.`
  return secretReveal({
    title: t`Key created`,
    label: t`Flow key`,
    clearText,
    testId: 'flow-key',
    explain: html`${t.html`Copy the key now: <strong>it is shown only once</strong>. Senders send it in the header ${code('svc-key')}.`} ${effect}`,
  })
}

function addressSection({ bot, flow, may, services, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const { apiUrl, portalUrl } = services
  const address = webhookAddress(apiUrl, bot.id, webhook.path)
  const samples = samplesOf(address, webhook, clearTextKey)
  return section({
    id: 'address',
    title: t`Webhook`,
    about: html`<p>${t`A POST request of up to 1 MiB to this URL starts the flow. The request is kept until a runtime has processed it.`}</p>`,
    body: html`<div class="card">${copyField({ label: t`Webhook URL`, text: address, testId: 'webhook-address' })}
<dl><dt>${t`Flow ID`}</dt><dd><code>${flow.id}</code></dd>
${!may.flows && html`<dt>${t`Order`}</dt><dd>${webhook.ordered ? t`Strict: each webhook waits for the one before it` : t`Not strict: a failed webhook doesn’t block others`}</dd>`}</dl></div>
${senderNotes(address, webhook)}
${samples.length === 0 ? html`<p>${t`Only Discord can send webhooks here, because it signs them with its private key. To try the flow, write a test below.`}</p>` : html`<details class="card fold"><summary>${t`Send a webhook`}</summary>${codeSample({ name: 'send', title: t`Send a webhook`, samples })}${variableHints(webhook, clearTextKey)}</details>`}
<div class="buttons">${may.test && linkButton({ label: t`Send a test webhook`, href: `/bots/${bot.id}/flows/${flow.id}/test`, tone: 'plain' })}<a href="${portalUrl}/guides/webhooks">${t`Guide: webhooks`}</a></div>`,
  })
}

/** Returns shell commands that send a webhook. Empty for Discord, because only Discord can sign. */
function samplesOf(
  address: string,
  webhook: FlowWebhook,
  clearTextKey: string | undefined,
): { language: string; code: string }[] {
  const curl = curlSample(address, webhook)
  if (curl === undefined) return []
  const setKey = clearTextKey === undefined ? '' : `export GATEHOUSE_FLOW_KEY=${clearTextKey}\n`
  const run = (interpreter: string, program: string) => `${setKey}${interpreter} <<'END'\n${program}\nEND`
  return [
    { language: 'curl', code: `${setKey}${curl}` },
    { language: 'Node', code: run('node --input-type=module', nodeSample(address, webhook)) },
    { language: 'Python', code: run('python3 -', pythonSample(address, webhook)) },
  ]
}

function variableHints({ requiresKey, signature }: FlowWebhook, clearTextKey: string | undefined): Html {
  const setKey = t`First set ${code('GATEHOUSE_FLOW_KEY')} to the flow’s key. If you don’t have it, replace it below.`
  const setSecret = t`First set ${code('GATEHOUSE_SIGNING_SECRET')} to the signing secret that you saved here.`
  return html`${requiresKey && clearTextKey === undefined && html`<p class="soft small">${setKey}</p>`}${signature !== null && html`<p class="soft small">${setSecret}</p>`}`
}

/** Returns what the owner needs to know before entering the URL in the sender's settings. */
function senderNotes(address: string, webhook: FlowWebhook): Html | false {
  const preset = webhook.signature?.preset ?? ''
  if (preset === 'github' || preset === 'shopify') {
    return notice({ tone: 'neutral', title: senderWords.title, body: senderWords[preset] })
  }
  if (!needsRelay(preset)) return false
  const relay = relaySample(address, preset, webhook)
  return html`${notice({ tone: 'warn', title: senderWords.title, body: senderWords[preset] })}
${codeSample({ name: 'relay', title: senderWords.relay, samples: [{ language: 'JavaScript', code: relay }] })}`
}

function keyRequirement({ requiresKey, signature }: FlowWebhook): Html {
  if (requiresKey) return state({ tone: 'good', word: t`Key required` })
  const signed = signature !== null
  return html`<div class="stack tight">${state({ tone: signed ? 'neutral' : 'warn', word: t`No key required` })}<p>${signed ? t`Senders sign their webhooks. Unsigned webhooks are rejected.` : t`Anyone who knows the URL can start this flow, with or without a key.`}</p></div>`
}

function keySection({ bot, flow, may, nowMs, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return section({
    id: 'keys',
    title: t`Keys`,
    about: html`<p>${t`Senders send the key in the header ${code('svc-key')}. When you replace the key, the previous one can stay valid for 24 hours.`}</p>`,
    body: html`<div class="card">${keyRequirement(webhook)}
${
  webhook.keys.length > 0 &&
  secretTable({
    caption: t`Valid keys, current one first`,
    kind: t`Key`,
    secrets: webhook.keys.map((key) => ({
      ...listedKey(key, clearTextKey),
      revocation: may.keys ? revocationOf(key, address, webhook) : undefined,
    })),
    nowMs,
  })
}
${
  may.keys &&
  html`<div class="buttons"><form method="get" action="${address}/key">${button({ label: webhook.keys.length > 0 ? t`Replace key` : t`Create key`, tone: 'plain' })}</form>${requirementForm(address, flow)}</div>`
}
</div>`,
  })
}

/** Renders the switch of the requirement. A flow without a current key has none: first, a key is created. */
function requirementForm(address: string, flow: Flow): Html | false {
  if (flow.webhook?.requiresKey) {
    return postForm(
      { action: `${address}/key-requirement` },
      html`<input type="hidden" name="required" value="no">${button({ label: t`Stop requiring key`, tone: 'quiet' })}`,
    )
  }
  return (
    currentKeyOf(flow) !== undefined &&
    html`<form method="get" action="${address}/key-requirement">${button({ label: t`Require key`, tone: 'plain' })}</form>`
  )
}

/** Returns the key that is not about to expire. */
export function currentKeyOf({ webhook }: Flow): OverlappingKey | undefined {
  return webhook?.keys.find(({ endsAtMs }) => endsAtMs === null)
}

/** Returns how to revoke the key. If the flow requires a key, its current key can only be replaced. */
function revocationOf(
  { number, endsAtMs }: OverlappingKey,
  address: string,
  { requiresKey }: FlowWebhook,
): ListedSecret['revocation'] {
  if (requiresKey && endsAtMs === null) return { not: t`Can only be replaced` }
  return { href: `${address}/keys/${number}/end` }
}

function refusedSection({ bot, flow, refused }: FlowView): Html | false {
  const all = html`<p><a href="/bots/${bot.id}/deliveries/refused?flow=${flow.id}">${t`View all refused webhooks`}</a></p>`
  return (
    refused !== undefined &&
    section({
      id: 'refused',
      title: t`Refused webhooks`,
      about: html`<p>${t`Requests to this flow that were refused in the last 7 days, and why.`}</p>`,
      body: refused.length === 0 ? html`<p>${t`None were refused.`}</p>` : html`${refusedList(bot.id, refused)}${all}`,
    })
  )
}
