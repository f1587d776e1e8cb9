import type { Flow, FlowWebhook } from '../../../domain/bots/flow.ts'
import { type SignaturePreset, signatureEncodings, signatureHashes } from '../../../domain/bots/signature-setting.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { choices, selectField, textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import type { FormError } from '../bot-errors.ts'

export interface DedupeInput {
  /** `header`, `pointer`, or empty. */
  by: string
  header: string
  pointer: string
  window: string
}

/** All but the secret, which is never shown again. */
export interface SignatureInput {
  preset: string
  publicKey: string
  header: string
  hash: string
  encoding: string
  prefix: string
}

/** What stands in the forms, where it was refused. */
export interface FlowInput {
  ordered?: boolean
  dedupe?: DedupeInput
  signature?: SignatureInput
}

interface SettingsView {
  bot: { id: string }
  flow: Flow
  person: { formToken: string }
  errors: readonly FormError[]
  input: FlowInput
}

const presetWords: Record<SignaturePreset, string> = {
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  shopify: 'Shopify',
  discord: 'Discord',
  hmac: 'Another, by HMAC of the body',
}

function errorsOf(errors: readonly FormError[], field: string): string[] {
  return errors.filter((error) => error.field === field).map(({ message }) => message)
}

/** Order and repetitions. */
export function takingSection(view: SettingsView, webhook: FlowWebhook): Html {
  const { bot, flow, person, errors, input } = view
  const ordered = input.ordered ?? webhook.ordered
  const dedupe = input.dedupe ?? dedupeInput(webhook)
  return section({
    id: 'taking',
    title: 'Order and repetitions',
    about: html`<p>Many senders send again when they are unsure. A repetition is answered 202 as the first was, and starts nothing.</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/flows/${flow.id}/taking#taking" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${choices({
  name: 'ordered',
  label: 'Order',
  choose: 'several',
  chosen: ordered ? ['yes'] : [],
  among: [
    {
      value: 'yes',
      label: 'Strict order',
      hint: 'Each webhook waits until the one before it is done, or is a dead letter.',
    },
  ],
})}
${choices({
  name: 'dedupe_by',
  label: 'A repetition is known by',
  choose: 'one',
  chosen: [dedupe.by],
  among: [
    { value: '', label: 'Nothing: every webhook counts' },
    { value: 'header', label: 'A header' },
    { value: 'pointer', label: 'A place in the JSON body' },
  ],
})}
${textField({ name: 'dedupe_header', label: 'Header', hint: html`Such as <code>x-github-delivery</code>.`, autocomplete: 'off', code: true, value: dedupe.header, error: errorsOf(errors, 'dedupe_header') })}
${textField({ name: 'dedupe_pointer', label: 'Place in the body', hint: html`As a JSON pointer, such as <code>/id</code>.`, autocomplete: 'off', code: true, value: dedupe.pointer, error: errorsOf(errors, 'dedupe_pointer') })}
${textField({ name: 'dedupe_window', label: 'For how many seconds', hint: 'Empty for 24 hours, which is the longest.', autocomplete: 'off', inputmode: 'numeric', short: true, value: dedupe.window, error: errorsOf(errors, 'dedupe_window') })}
${buttonRow(button({ label: 'Save order and repetitions', tone: 'plain' }))}
</form>`,
  })
}

/** How senders sign. */
export function signatureSection(view: SettingsView, webhook: FlowWebhook): Html {
  const { bot, flow, person, errors, input } = view
  const chosen = input.signature ?? signatureInput(webhook)
  return section({
    id: 'signature',
    title: 'Signature',
    about: html`<p>Where the sender signs, what is not signed with your secret is refused with 401.</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/flows/${flow.id}/signature#signature" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${selectField({
  name: 'preset',
  label: 'Sender',
  value: chosen.preset,
  error: errorsOf(errors, 'preset'),
  options: [
    { value: '', label: 'Signatures are not looked at' },
    ...Object.entries(presetWords).map(([value, label]) => ({ value, label })),
  ],
})}
${textField({
  name: 'secret',
  label: 'Signing secret',
  type: 'password',
  hint:
    webhook.signature === null
      ? 'The sender shows it where you set up its webhook. Discord has none.'
      : 'Empty keeps the one that is stored. It is never shown.',
  autocomplete: 'off',
  error: errorsOf(errors, 'secret'),
})}
${textField({ name: 'public_key', label: 'Public key, for Discord', hint: '64 hexadecimal digits.', autocomplete: 'off', code: true, value: chosen.publicKey, error: errorsOf(errors, 'public_key') })}
${textField({ name: 'header', label: 'Header, for HMAC', hint: html`In which the signature stands, such as <code>x-signature</code>.`, autocomplete: 'off', code: true, value: chosen.header, error: errorsOf(errors, 'header') })}
${selectField({ name: 'hash', label: 'Hash, for HMAC', value: chosen.hash, options: signatureHashes, error: errorsOf(errors, 'hash') })}
${selectField({ name: 'encoding', label: 'Encoding, for HMAC', value: chosen.encoding, options: signatureEncodings, error: errorsOf(errors, 'encoding') })}
${textField({ name: 'prefix', label: 'Prefix, for HMAC', hint: html`What stands before the signature, such as <code>sha256=</code>. Mostly nothing.`, autocomplete: 'off', code: true, value: chosen.prefix, error: errorsOf(errors, 'prefix') })}
${buttonRow(button({ label: 'Save signature', tone: 'plain' }))}
</form>`,
  })
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
  const none = { preset: '', publicKey: '', header: '', hash: 'sha256', encoding: 'hex', prefix: '' }
  return signature === null ? none : { ...none, ...signature }
}
