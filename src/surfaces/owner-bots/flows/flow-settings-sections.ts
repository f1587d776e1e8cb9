import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import * as settings from '../../../domain/bots/flows/signature-setting.ts'
import { button, buttonRow, code, postForm, section } from '../../../pages/components/elements.ts'
import { timeUntil } from '../../../pages/components/figures.ts'
import { checkBox, type FormError, form, oneOf, selectField, textField } from '../../../pages/form.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import type { BotVisit } from '../bot-pages.ts'

const presetWords: Readonly<Record<settings.SignaturePreset, Text>> = {
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  shopify: 'Shopify',
  discord: 'Discord',
  'standard-webhooks': 'Standard Webhooks (Svix, OpenAI, Clerk, Resend, Gatehouse)',
  token: t`Fixed token in a header (GitLab, Telegram)`,
  hmac: t`Other HMAC (Zoom, Paddle, Zendesk, Typeform and others)`,
}

const hints = {
  dedupeHeader: t`For example ${code('x-github-delivery')}.`,
  header: t`For example ${code('x-signature')}, ${code('X-Gitlab-Token')} or ${code('Authorization')}.`,
  prefix: t`Text before each signature, such as ${code('sha256=')}, ${code('v1=')} or ${code('h1=')}. Often empty.`,
  signed: t`${code('{body}')}, or a text such as ${code('{timestamp}.{body}')} or ${code('v0:{timestamp}:{body}')}.`,
  timestampHeader: t`If ${code('{timestamp}')} is sent in a header of its own, such as ${code('x-zm-request-timestamp')}.`,
  timestampPart: t`If ${code('{timestamp}')} is in the header with the signature: ${code('t')} in ${code('t=1700000000,v1=…')}.`,
}

export const senderWords = {
  title: t`Before you enter the URL in the sender’s settings`,
  github: t`${code('X-GitHub-Event')} doesn’t reach the bot. Use one flow with its own path per event type. In each GitHub webhook, choose a single event.`,
  shopify: t`${code('X-Shopify-Topic')} doesn’t reach the bot. Use one flow with its own path per topic, and one Shopify webhook for each.`,
  slack: t`Slack doesn’t accept this URL. It first sends ${code('url_verification')} and expects the challenge in the response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Slack.`,
  discord: t`Discord doesn’t accept this URL. It sends a ${code('PING')} and expects a specific response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Discord. Commands show “thinking” until your bot responds with the interaction’s token. The bot receives each ${code('PING')} too; ignore it.`,
  relay: t`Relay`,
  needsRelay: t`Slack and Discord need a relay in front of this URL. After you save, this page shows the relay’s code.`,
}

const identifier = { autocomplete: 'off', code: true, trim: true } as const

export const takingForm = form({
  ordered: checkBox({
    label: t`Order`,
    box: {
      label: t`Strict order`,
      hint: t`Each webhook waits until the previous one is delivered or becomes a dead letter.`,
    },
  }),
  /** Where the deduplication ID comes from. Empty if deduplication is off. */
  dedupeBy: oneOf({
    label: t`Recognize duplicates by`,
    among: [
      { value: '', label: t`Don’t check for duplicates` },
      { value: 'header', label: t`A header` },
      { value: 'pointer', label: t`A value in the JSON body` },
    ],
    otherwise: '',
  }),
  dedupeHeader: textField({ ...identifier, label: t`Header name`, hint: hints.dedupeHeader }),
  dedupePointer: textField({
    ...identifier,
    label: t`JSON pointer to the value`,
    hint: t`For example ${code('/id')}.`,
  }),
  dedupeWindow: textField({
    label: t`Time window in seconds`,
    hint: t`Leave empty for 24 hours, the maximum.`,
    autocomplete: 'off',
    inputmode: 'numeric',
    short: true,
    trim: true,
  }),
})
export type Taking = ReturnType<typeof takingForm.read>

export const signatureForm = form({
  preset: selectField({
    label: t`Sender`,
    options: [
      { value: '', label: t`Don’t verify signatures` },
      ...Object.entries(presetWords).map(([value, label]) => ({ value, label })),
    ],
  }),
  secret: textField({ label: t`Signing secret`, type: 'password', autocomplete: 'off' }),
  publicKey: textField({
    ...identifier,
    label: t`Public key (Discord)`,
    hint: t`64 hexadecimal digits. A new key replaces the old one immediately.`,
  }),
  header: textField({ ...identifier, label: t`Header`, hint: hints.header }),
  hash: selectField({ label: t`Hash function (HMAC)`, options: settings.signatureHashes }),
  encoding: selectField({ label: t`Encoding (HMAC)`, options: settings.signatureEncodings }),
  prefix: textField({ ...identifier, label: t`Signature prefix (HMAC)`, hint: hints.prefix }),
  signed: textField({ ...identifier, label: t`Signed text (HMAC)`, hint: hints.signed }),
  timestampHeader: textField({ ...identifier, label: t`Timestamp header (HMAC)`, hint: hints.timestampHeader }),
  timestampPart: textField({ ...identifier, label: t`Timestamp name (HMAC)`, hint: hints.timestampPart }),
})
export type Signature = ReturnType<typeof signatureForm.read>

export interface FlowInput {
  taking?: Taking
  signature?: Signature
}

export interface SettingsView extends BotVisit {
  flow: Flow
  errors: readonly FormError[]
  input: FlowInput
}

export function orderSection({ bot, flow, errors, input }: SettingsView, webhook: FlowWebhook): Html {
  return section({
    aside: true,
    id: 'taking',
    title: t`Order and duplicates`,
    about: html`<p>${t`Many senders retry when they get no response. A duplicate gets 202 but doesn’t start the flow.`}</p>`,
    body: folded(
      currentTaking(webhook),
      input.taking !== undefined,
      postForm(
        { action: `/bots/${bot.id}/flows/${flow.id}/taking`, novalidate: true },
        Object.values(takingForm.fields({ values: input.taking ?? takingOf(webhook), errors })),
        buttonRow(button({ label: t`Save order and duplicates`, tone: 'plain' })),
      ),
    ),
  })
}

function currentTaking({ ordered, dedupe }: FlowWebhook): Html {
  const duplicates =
    dedupe === null
      ? t`Duplicates aren’t recognized.`
      : 'header' in dedupe
        ? t`Duplicates are recognized by the header ${code(dedupe.header)}.`
        : t`Duplicates are recognized by ${code(dedupe.pointer)} in the JSON body.`
  return html`${ordered ? t`Strict: each webhook waits for the one before it` : t`Not strict: a failed webhook doesn’t block others`}. ${duplicates}`
}

/** Renders the form for signatures. The stylesheet hides fields that the selected preset doesn't use. */
export function signatureSection(view: SettingsView, webhook: FlowWebhook): Html {
  const { bot, flow, errors, input } = view
  const hint =
    webhook.signature === null
      ? t`Find it in the sender’s webhook settings. Discord doesn’t use one.`
      : t`Leave empty to keep the stored secret. It is never shown.`
  const filled = { values: input.signature ?? signatureInput(webhook), errors }
  const { preset, secret, publicKey, header, ...ofHmac } = signatureForm.fields(filled, { secret: { hint } })
  return section({
    aside: true,
    id: 'signature',
    title: t`Signature`,
    about: html`<p>${t`If you choose a sender, webhooks without a valid signature get 401.`}</p>`,
    body: html`${webhook.previousSecretEndsAtMs !== null && previousSecret(view, webhook.previousSecretEndsAtMs)}${folded(
      webhook.signature === null
        ? t`Signatures aren’t verified.`
        : t`Signatures are verified: ${presetWords[webhook.signature.preset]}`,
      input.signature !== undefined,
      postForm(
        { action: `/bots/${bot.id}/flows/${flow.id}/signature`, style: 'signing', novalidate: true },
        preset,
        html`<div class="for-relay"><p class="hint">${senderWords.needsRelay}</p></div>
<div class="for-secret">${secret}</div>
<div class="for-discord">${publicKey}</div>
<div class="for-header">${header}</div>
<div class="for-hmac"><p class="hint">${t.html`The <a href="${view.services.portalUrl}/guides/webhooks#signature">webhook guide</a> lists what Zoom, Paddle, Zendesk, Typeform and other senders need here.`}</p>
${Object.values(ofHmac)}</div>`,
        buttonRow(button({ label: t`Save signature`, tone: 'plain' })),
      ),
    )}`,
  })
}

function previousSecret({ bot, flow, nowMs }: SettingsView, endsAtMs: number): Html {
  return postForm(
    { action: `/bots/${bot.id}/flows/${flow.id}/previous-secret/end`, style: 'card' },
    html`<p>${t`The previous signing secret is accepted too; it expires ${timeUntil(endsAtMs, nowMs)}.`}</p>`,
    buttonRow(button({ label: t`End previous secret`, tone: 'dangerous' })),
  )
}

/** Renders a collapsed form whose summary shows the current setting. The form is expanded if its input was rejected. */
function folded(current: Text, isRejected: boolean, form: Html): Html {
  return html`<details class="card fold"${isRejected && html` open`}><summary>${current}</summary>${form}</details>`
}

function takingOf({ ordered, dedupe }: FlowWebhook): Taking {
  const none = { ordered, dedupeBy: '', dedupeHeader: '', dedupePointer: '', dedupeWindow: '' } as const
  if (dedupe === null) return none
  const dedupeWindow = String(dedupe.windowSeconds)
  return 'header' in dedupe
    ? { ...none, dedupeBy: 'header', dedupeHeader: dedupe.header, dedupeWindow }
    : { ...none, dedupeBy: 'pointer', dedupePointer: dedupe.pointer, dedupeWindow }
}

function signatureInput({ signature }: FlowWebhook): Signature {
  const none = {
    preset: '',
    secret: '',
    publicKey: '',
    header: '',
    hash: 'sha256',
    encoding: 'hex',
    prefix: '',
    signed: '{body}',
    timestampHeader: '',
    timestampPart: '',
  }
  return signature === null ? none : { ...none, ...signature }
}
