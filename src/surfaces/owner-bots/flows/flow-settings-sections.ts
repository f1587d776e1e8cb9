import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { signatureEncodings, signatureHashes } from '../../../domain/bots/flows/signature-setting.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { timeUntil } from '../../../pages/components/time.ts'
import { checkBox, type FormError, form, oneOf, postForm, selectField, textField } from '../../../pages/form.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { flowSettingWords, flowWords, senderWords } from './words.ts'

const { taking, signature: signing } = flowSettingWords
const identifier = { autocomplete: 'off', code: true, trim: true } as const

/** The form for ordering and deduplication. */
export const takingForm = form({
  ordered: checkBox({ label: flowWords.address.order, box: { label: taking.strict, hint: taking.strictMeans } }),
  /** Where the deduplication ID comes from. Empty if deduplication is off. */
  dedupeBy: oneOf({
    label: taking.dedupeBy,
    among: [
      { value: '', label: taking.byNothing },
      { value: 'header', label: taking.byHeader },
      { value: 'pointer', label: taking.byPointer },
    ],
    otherwise: '',
  }),
  dedupeHeader: textField({ ...identifier, label: taking.header, hint: taking.headerHint }),
  dedupePointer: textField({ ...identifier, label: taking.pointer, hint: taking.pointerHint }),
  dedupeWindow: textField({
    label: taking.window,
    hint: taking.windowHint,
    autocomplete: 'off',
    inputmode: 'numeric',
    short: true,
    trim: true,
  }),
})
export type Taking = ReturnType<typeof takingForm.read>

/** The form for signatures. The secret is never shown again. */
export const signatureForm = form({
  preset: selectField({
    label: signing.sender,
    options: [
      { value: '', label: signing.none },
      ...Object.entries(signing.presets).map(([value, label]) => ({ value, label })),
    ],
  }),
  secret: textField({ label: signing.secret, type: 'password', autocomplete: 'off' }),
  publicKey: textField({ ...identifier, label: signing.publicKey, hint: signing.publicKeyHint }),
  header: textField({ ...identifier, label: signing.header, hint: signing.headerHint }),
  hash: selectField({ label: signing.hash, options: signatureHashes }),
  encoding: selectField({ label: signing.encoding, options: signatureEncodings }),
  prefix: textField({ ...identifier, label: signing.prefix, hint: signing.prefixHint }),
  signed: textField({ ...identifier, label: signing.signed, hint: signing.signedHint }),
  timestampHeader: textField({ ...identifier, label: signing.timestampHeader, hint: signing.timestampHeaderHint }),
  timestampPart: textField({ ...identifier, label: signing.timestampPart, hint: signing.timestampPartHint }),
})
export type Signature = ReturnType<typeof signatureForm.read>

/** Input of a rejected form, to be shown again. */
export interface FlowInput {
  taking?: Taking
  signature?: Signature
}

interface SettingsView {
  bot: { id: string }
  flow: Flow
  nowMs: number
  errors: readonly FormError[]
  input: FlowInput
}

/** Renders the form for ordering and deduplication. */
export function orderSection({ bot, flow, errors, input }: SettingsView, webhook: FlowWebhook): Html {
  return section({
    id: 'taking',
    title: taking.title,
    about: html`<p>${taking.about}</p>`,
    body: folded(
      currentTaking(webhook),
      input.taking !== undefined,
      postForm(
        { action: `/bots/${bot.id}/flows/${flow.id}/taking`, novalidate: true },
        Object.values(takingForm.fields({ values: input.taking ?? takingOf(webhook), errors })),
        buttonRow(button({ label: taking.save, tone: 'plain' })),
      ),
    ),
  })
}

function currentTaking({ ordered, dedupe }: FlowWebhook): Html {
  const { strict, notStrict } = flowWords.address
  const { noDuplicates, duplicatesByHeader, duplicatesByPointer } = taking
  const duplicates =
    dedupe === null
      ? noDuplicates
      : 'header' in dedupe
        ? duplicatesByHeader(dedupe.header)
        : duplicatesByPointer(dedupe.pointer)
  return html`${ordered ? strict : notStrict}. ${duplicates}`
}

/** Renders the form for signatures. The stylesheet hides fields that the selected preset doesn't use. */
export function signatureSection(view: SettingsView, webhook: FlowWebhook): Html {
  const { bot, flow, errors, input } = view
  const hint = webhook.signature === null ? signing.secretHint : signing.secretKept
  const values = input.signature ?? signatureInput(webhook)
  const { preset, secret, publicKey, header, ...ofHmac } = signatureForm.fields(
    { values, errors },
    { secret: { hint } },
  )
  return section({
    id: 'signature',
    title: signing.title,
    about: html`<p>${signing.about}</p>`,
    body: html`${webhook.previousSecretEndsAtMs !== null && previousSecret(view, webhook.previousSecretEndsAtMs)}${folded(
      webhook.signature === null ? signing.notVerified : signing.verified(signing.presets[webhook.signature.preset]),
      input.signature !== undefined,
      postForm(
        { action: `/bots/${bot.id}/flows/${flow.id}/signature`, style: 'signing', novalidate: true },
        preset,
        html`<div class="for-relay"><p class="hint">${senderWords.needsRelay}</p></div>
<div class="for-secret">${secret}</div>
<div class="for-discord">${publicKey}</div>
<div class="for-header">${header}</div>
<div class="for-hmac"><p class="hint">${signing.hmacSenders}</p>
${Object.values(ofHmac)}</div>`,
        buttonRow(button({ label: signing.save, tone: 'plain' })),
      ),
    )}`,
  })
}

function previousSecret({ bot, flow, nowMs }: SettingsView, endsAtMs: number): Html {
  return postForm(
    { action: `/bots/${bot.id}/flows/${flow.id}/previous-secret/end`, style: 'card' },
    html`<p>${signing.previous(timeUntil(endsAtMs, nowMs))}</p>`,
    buttonRow(button({ label: signing.endPrevious, tone: 'dangerous' })),
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
