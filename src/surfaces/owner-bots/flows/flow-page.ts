import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import type { RefusedWebhooks } from '../../../domain/webhooks/refused-webhooks.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { codeSample, copyField } from '../../../pages/components/copy-field.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { type ListedSecret, secretReveal, secretTable } from '../../../pages/components/secrets.ts'
import { errorNotices, type FormError, fieldErrorSummary, postForm } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { refusedList, refusedWords } from '../deliveries/refused-list.ts'
import { listedKey } from '../key-form.ts'
import { type FlowInput, orderSection, signatureSection } from './flow-settings-sections.ts'
import { webhookAddress } from './flows-page.ts'
import { curlSample, needsRelay, nodeSample, pythonSample, relaySample } from './samples.ts'
import { flowManagementWords, flowWords, senderWords, testWords } from './words.ts'

export interface FlowView extends BotPageView {
  flow: Flow
  may: { keys: boolean; flows: boolean; test: boolean; manage: boolean }
  apiUrl: string
  portalUrl: string
  /** The flow's latest refused webhooks. `undefined` if the user isn't allowed to see them. */
  refused: readonly RefusedWebhooks[] | undefined
  errors: readonly FormError[]
  input: FlowInput
  /** The key created by this request. */
  clearTextKey: string | undefined
}

export function flowPage(view: FlowView): Html {
  const { bot, flow, errors, clearTextKey } = view
  return botPartPage(view, {
    part: 'flows',
    inside: { name: flow.name },
    styles: ['deliveries.css'],
    modules: ['deliveries.js'],
    canonical: `/bots/${bot.id}/flows/${flow.id}`,
    shownOnce: clearTextKey !== undefined,
    body: html`${errorNotices(errors)}
${fieldErrorSummary(errors)}
${clearTextKey !== undefined && newKeyReveal(clearTextKey, flow.webhook?.requiresKey === true)}
${
  flow.webhook === null
    ? html`<p>${flowWords.takesNone}</p>`
    : html`${addressSection(view, flow.webhook)}${clearTextKey === undefined && refusedSection(view)}${keySection(view, flow.webhook)}${view.may.flows && orderSection(view, flow.webhook)}${view.may.flows && view.may.keys && signatureSection(view, flow.webhook)}`
}
${view.may.manage && html`<div class="buttons">${linkButton({ label: flowManagementWords.remove.link, href: `/bots/${bot.id}/flows/${flow.id}/removal`, tone: 'dangerous' })}</div>`}`,
  })
}

function newKeyReveal(clearText: string, isRequired: boolean): Html {
  const { title, label, explain, required, optional } = flowWords.keys.once
  const effect = isRequired ? required : optional
  return secretReveal({ title, label, clearText, testId: 'flow-key', explain: html`${explain} ${effect}` })
}

function addressSection({ bot, flow, may, apiUrl, portalUrl, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const address = webhookAddress(apiUrl, bot.id, webhook.path)
  const words = flowWords.address
  const samples = samplesOf(address, webhook, clearTextKey)
  return section({
    id: 'address',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">${copyField({ label: flowWords.list.address, text: address, testId: 'webhook-address' })}
<dl><dt>${words.flowId}</dt><dd><code>${flow.id}</code></dd>
${!may.flows && html`<dt>${words.order}</dt><dd>${webhook.ordered ? words.strict : words.notStrict}</dd>`}</dl></div>
${senderNotes(address, webhook)}
${samples.length === 0 ? html`<p>${words.onlyDiscordSigns}</p>` : html`<details class="card fold"><summary>${words.send}</summary>${codeSample({ name: 'send', title: words.send, samples })}${variableHints(webhook, clearTextKey)}</details>`}
<div class="buttons">${may.test && linkButton({ label: testWords.write, href: `/bots/${bot.id}/flows/${flow.id}/test`, tone: 'plain' })}<a href="${portalUrl}/guides/webhooks">${words.guide}</a></div>`,
  })
}

/** Returns shell commands that send a webhook. Empty for Discord, because only Discord can sign. */
function samplesOf(
  address: string,
  webhook: FlowWebhook,
  clearTextKey: string | undefined,
): { language: string; code: string }[] {
  const samples = [
    { language: 'curl', code: curlSample(address, webhook) },
    { language: 'Node', code: asShellCommand('node --input-type=module', nodeSample(address, webhook)) },
    { language: 'Python', code: asShellCommand('python3 -', pythonSample(address, webhook)) },
  ]
  const setKey = clearTextKey === undefined ? '' : `export GATEHOUSE_FLOW_KEY=${clearTextKey}\n`
  return samples.flatMap(({ language, code }) => (code === undefined ? [] : [{ language, code: `${setKey}${code}` }]))
}

function asShellCommand(interpreter: string, program: string | undefined): string | undefined {
  return program && `${interpreter} <<'END'\n${program}\nEND`
}

/** Names the variables that the samples read and do not set. */
function variableHints({ requiresKey, signature }: FlowWebhook, clearTextKey: string | undefined): Html {
  const { setKey, setSecret } = flowWords.address
  return html`${requiresKey && clearTextKey === undefined && html`<p class="soft small">${setKey}</p>`}${signature !== null && html`<p class="soft small">${setSecret}</p>`}`
}

/** Returns what the owner needs to know before entering the URL in the sender's settings. */
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

function keySection({ bot, flow, may, nowMs, clearTextKey }: FlowView, webhook: FlowWebhook): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const words = flowWords.keys
  return section({
    id: 'keys',
    title: flowWords.keys.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">${keyRequirement(webhook)}
${
  webhook.keys.length > 0 &&
  secretTable({
    caption: words.caption,
    kind: secretTableWords.key,
    secrets: webhook.keys.map((key) => ({
      ...listedKey(key, clearTextKey),
      revocation: may.keys ? revocationOf(key, address, webhook) : undefined,
    })),
    nowMs,
  })
}
${
  may.keys &&
  html`<div class="buttons"><form method="get" action="${address}/key">${button({ label: webhook.keys.length > 0 ? words.replace : words.create, tone: 'plain' })}</form>${requirementForm(address, flow)}</div>`
}
</div>`,
  })
}

/** Renders the switch of the requirement. A flow without a current key has none: first, a key is created. */
function requirementForm(address: string, flow: Flow): Html | false {
  const { require, stopRequiring } = flowWords.keys
  if (flow.webhook?.requiresKey) {
    return postForm(
      { action: `${address}/key-requirement` },
      html`<input type="hidden" name="required" value="no">${button({ label: stopRequiring, tone: 'quiet' })}`,
    )
  }
  return (
    currentKeyOf(flow) !== undefined &&
    html`<form method="get" action="${address}/key-requirement">${button({ label: require, tone: 'plain' })}</form>`
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
  if (requiresKey && endsAtMs === null) return { not: secretTableWords.replaceOnly }
  return { href: `${address}/keys/${number}/end` }
}

function refusedSection({ bot, flow, refused }: FlowView): Html | false {
  const all = html`<p><a href="/bots/${bot.id}/deliveries/refused?flow=${flow.id}">${refusedWords.all}</a></p>`
  return (
    refused !== undefined &&
    section({
      id: 'refused',
      title: refusedWords.title,
      about: html`<p>${refusedWords.ofFlow}</p>`,
      body:
        refused.length === 0 ? html`<p>${refusedWords.noneOfFlow}</p>` : html`${refusedList(bot.id, refused)}${all}`,
    })
  )
}
