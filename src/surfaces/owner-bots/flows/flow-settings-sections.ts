import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { signatureEncodings, signatureHashes } from '../../../domain/bots/flows/signature-setting.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type FormError, messagesOf } from '../bot-errors.ts'
import { flowSettingWords, flowWords, senderWords } from './words.ts'

export interface DedupeInput {
  /** Where the deduplication ID comes from: `header` or `pointer`. Empty if deduplication is off. */
  by: string
  header: string
  pointer: string
  window: string
}

/** The signature form's input, without the secret, which is never shown again. */
export interface SignatureInput {
  preset: string
  publicKey: string
  header: string
  hash: string
  encoding: string
  prefix: string
  signed: string
  timestampHeader: string
  timestampPart: string
}

/** Input of a rejected form, to be shown again. */
export interface FlowInput {
  ordered?: boolean
  dedupe?: DedupeInput
  signature?: SignatureInput
}

interface SettingsView {
  bot: { id: string }
  flow: Flow
  person: { formToken: string }
  nowMs: number
  errors: readonly FormError[]
  input: FlowInput
}

/** Renders the form for ordering and deduplication. */
export function orderSection(view: SettingsView, webhook: FlowWebhook): Html {
  const { bot, flow, person, errors, input } = view
  const ordered = input.ordered ?? webhook.ordered
  const dedupe = input.dedupe ?? dedupeInput(webhook)
  const words = flowSettingWords.taking
  return section({
    id: 'taking',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: folded(
      currentTaking(webhook),
      input.dedupe !== undefined,
      html`<form method="post" action="/bots/${bot.id}/flows/${flow.id}/taking" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${choices({
  name: 'ordered',
  label: flowWords.address.order,
  choose: 'several',
  chosen: ordered ? ['yes'] : [],
  among: [{ value: 'yes', label: words.strict, hint: words.strictMeans }],
})}
${choices({
  name: 'dedupe_by',
  label: words.dedupeBy,
  choose: 'one',
  chosen: [dedupe.by],
  among: [
    { value: '', label: words.byNothing },
    { value: 'header', label: words.byHeader },
    { value: 'pointer', label: words.byPointer },
  ],
})}
${textField({ name: 'dedupe_header', label: words.header, hint: words.headerHint, autocomplete: 'off', code: true, value: dedupe.header, error: messagesOf(errors, 'dedupe_header') })}
${textField({ name: 'dedupe_pointer', label: words.pointer, hint: words.pointerHint, autocomplete: 'off', code: true, value: dedupe.pointer, error: messagesOf(errors, 'dedupe_pointer') })}
${textField({ name: 'dedupe_window', label: words.window, hint: words.windowHint, autocomplete: 'off', inputmode: 'numeric', short: true, value: dedupe.window, error: messagesOf(errors, 'dedupe_window') })}
${buttonRow(button({ label: words.save, tone: 'plain' }))}
</form>`,
    ),
  })
}

function currentTaking({ ordered, dedupe }: FlowWebhook): Html {
  const { strict, notStrict } = flowWords.address
  const { noDuplicates, duplicatesByHeader, duplicatesByPointer } = flowSettingWords.taking
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
  const { bot, flow, person, errors, input } = view
  const chosen = input.signature ?? signatureInput(webhook)
  const words = flowSettingWords.signature
  return section({
    id: 'signature',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`${webhook.previousSecretEndsAtMs !== null && previousSecret(view, webhook.previousSecretEndsAtMs)}${folded(
      webhook.signature === null ? words.notVerified : words.verified(words.presets[webhook.signature.preset]),
      input.signature !== undefined,
      html`<form class="signing" method="post" action="/bots/${bot.id}/flows/${flow.id}/signature" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${selectField({
  name: 'preset',
  label: words.sender,
  value: chosen.preset,
  error: messagesOf(errors, 'preset'),
  options: [
    { value: '', label: words.none },
    ...Object.entries(words.presets).map(([value, label]) => ({ value, label })),
  ],
})}
<div class="for-relay"><p class="hint">${senderWords.needsRelay}</p></div>
<div class="for-secret">${textField({
        name: 'secret',
        label: words.secret,
        type: 'password',
        hint: webhook.signature === null ? words.secretHint : words.secretKept,
        autocomplete: 'off',
        error: messagesOf(errors, 'secret'),
      })}</div>
<div class="for-discord">${textField({ name: 'public_key', label: words.publicKey, hint: words.publicKeyHint, autocomplete: 'off', code: true, value: chosen.publicKey, error: messagesOf(errors, 'public_key') })}</div>
<div class="for-header">${textField({ name: 'header', label: words.header, hint: words.headerHint, autocomplete: 'off', code: true, value: chosen.header, error: messagesOf(errors, 'header') })}</div>
<div class="for-hmac"><p class="hint">${words.hmacSenders}</p>
${selectField({ name: 'hash', label: words.hash, value: chosen.hash, options: signatureHashes, error: messagesOf(errors, 'hash') })}
${selectField({ name: 'encoding', label: words.encoding, value: chosen.encoding, options: signatureEncodings, error: messagesOf(errors, 'encoding') })}
${textField({ name: 'prefix', label: words.prefix, hint: words.prefixHint, autocomplete: 'off', code: true, value: chosen.prefix, error: messagesOf(errors, 'prefix') })}
${textField({ name: 'signed', label: words.signed, hint: words.signedHint, autocomplete: 'off', code: true, value: chosen.signed, error: messagesOf(errors, 'signed') })}
${textField({ name: 'timestamp_header', label: words.timestampHeader, hint: words.timestampHeaderHint, autocomplete: 'off', code: true, value: chosen.timestampHeader, error: messagesOf(errors, 'timestamp_header') })}
${textField({ name: 'timestamp_part', label: words.timestampPart, hint: words.timestampPartHint, autocomplete: 'off', code: true, value: chosen.timestampPart, error: messagesOf(errors, 'timestamp_part') })}</div>
${buttonRow(button({ label: words.save, tone: 'plain' }))}
</form>`,
    )}`,
  })
}

function previousSecret({ bot, flow, person, nowMs }: SettingsView, endsAtMs: number): Html {
  const words = flowSettingWords.signature
  return html`<form class="card" method="post" action="/bots/${bot.id}/flows/${flow.id}/previous-secret/end"><input type="hidden" name="form_token" value="${person.formToken}">
<p>${words.previous(timeUntil(endsAtMs, nowMs))}</p>
${buttonRow(button({ label: words.endPrevious, tone: 'dangerous' }))}
</form>`
}

/** Renders a collapsed form whose summary shows the current setting. The form is expanded if its input was rejected. */
function folded(current: Text, isRejected: boolean, form: Html): Html {
  return html`<details class="card fold"${isRejected && html` open`}><summary>${current}</summary>${form}</details>`
}

function dedupeInput({ dedupe }: FlowWebhook): DedupeInput {
  const none = { by: '', header: '', pointer: '', window: '' }
  if (dedupe === null) return none
  const window = String(dedupe.windowSeconds)
  return 'header' in dedupe
    ? { ...none, by: 'header', header: dedupe.header, window }
    : { ...none, by: 'pointer', pointer: dedupe.pointer, window }
}

function signatureInput({ signature }: FlowWebhook): SignatureInput {
  const none = {
    preset: '',
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
