import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { notice } from '../../pages/components/notice.ts'
import { type Html, t, type Words } from '../../pages/html.ts'
import { confirmEmailFirst } from '../../pages/words/account-form.ts'

/** A form error. Shown next to its field, or above the form if `field` is absent. */
export interface FormError {
  field?: string
  message: Words
}

/** Runs the change that a form requests. Returns its result, or the form's errors if the change is refused. */
export async function tryChange<Result>(
  change: () => Promise<Result>,
): Promise<{ errors: undefined; result: Result } | { errors: FormError[]; result: undefined }> {
  try {
    return { errors: undefined, result: await change() }
  } catch (error) {
    if (!(error instanceof BotRefusal)) throw error
    const errors = error.reasons.map((reason) => formErrors[reason])
    if (errors.includes(noFormError)) throw error
    return { errors: errors as FormError[], result: undefined }
  }
}

/** Returns the messages for a field or, without one, those to show above the form. */
export function messagesOf(errors: readonly FormError[], field?: string): Words[] {
  return errors.filter((error) => error.field === field).map(({ message }) => message)
}

/** Renders the messages above a form. */
export function errorNotices(errors: readonly FormError[]): Html[] {
  return messagesOf(errors).map((body) => notice({ tone: 'bad', body }))
}

/** Marks refusals that the forms can't cause, or that have their own page. {@link tryChange} rethrows them. */
const noFormError = undefined

const formErrors: Record<BotRefusalReason, FormError | typeof noFormError> = {
  'user-unknown': onField('who', t`This account no longer exists.`),
  'user-is-owner': onField('who', t`You own this bot, so you already have full access. Enter another user.`),
  'invited-missing': onField('label', t`Enter a name or an email address.`),
  'invited-too-long': onField('label', t`Use at most ${limits.invitationLabelMaxCharacters} characters.`),
  'invitations-too-many': aboveForm(
    t`A bot can have at most ${limits.invitationsPerBot} open invitations. Revoke one first.`,
  ),
  'name-missing': onField('name', t`Enter a name.`),
  'name-too-long': onField('name', t`Use a name of at most 100 characters.`),
  'runtime-bot-unknown': aboveForm(t`This bot has a new owner. Open its page again.`),
  'runtime-needs-bot': aboveForm(t`You own no bot that a runtime could host.`),
  'flow-unknown': aboveForm(t`This flow no longer exists.`),
  'flows-too-many': aboveForm(t`A bot can have at most ${limits.flowsPerBot} flows. Remove one first.`),
  'webhook-path-malformed': onField('path', t`Use 1 to 100 letters, digits and - _ . / ~.`),
  'webhook-path-has-dots': onField(
    'path',
    t`Remove the segments . and .., because HTTP clients change URLs that contain them.`,
  ),
  'webhook-path-taken': onField('path', t`Another flow of this bot uses this path. Choose another one.`),
  'webhook-missing': aboveForm(t`This flow no longer accepts webhooks.`),
  'key-unknown': aboveForm(t`This key no longer works.`),
  'key-needed': aboveForm(t`This is the current key. You can revoke it only when you replace it.`),
  'runtime-unknown': aboveForm(t`This runtime no longer exists.`),
  'email-unconfirmed': { message: confirmEmailFirst },
  'runtimes-too-many': aboveForm(t`You have the maximum number of runtimes. Remove one that you no longer use.`),
  'notice-too-long': onField('notice', t`Use at most ${limits.statusNoticeMaxCharacters} characters.`),
  'signature-preset-unknown': onField('preset', t`Choose a sender from the list.`),
  'signature-member-unwanted': onField('preset', t`Fill in only the fields that this sender uses.`),
  'signature-secret-malformed': onField('secret', t`Use 1 to 256 characters on one line.`),
  'signature-secret-not-standard': onField('secret', t`Enter the whole secret, which begins with whsec_.`),
  'signature-secret-missing': onField('secret', t`Enter the secret that the sender signs with.`),
  'signature-public-key-malformed': onField('public_key', t`Enter the public key as 64 hexadecimal digits.`),
  'signature-public-key-invalid': onField(
    'public_key',
    t`No Ed25519 public key has these digits. Copy the key from Discord again.`,
  ),
  'signature-header-malformed': onField('header', t`Enter the name of the header that carries the signature.`),
  'signature-hash-unknown': onField('hash', t`Choose SHA-1, SHA-256 or SHA-512.`),
  'signature-encoding-unknown': onField('encoding', t`Choose hexadecimal or Base64.`),
  'signature-prefix-malformed': onField('prefix', t`Use at most 32 visible ASCII characters.`),
  'signature-signed-malformed': onField(
    'signed',
    t`Use at most ${limits.signedTextMaxCharacters} ASCII characters, with ${'{body}'} once and ${'{timestamp}'} at most once.`,
  ),
  'signature-timestamp-unclear': onField(
    'timestamp_header',
    t`If ${'{timestamp}'} is signed, enter either its header or its name in the list. Otherwise, leave both empty.`,
  ),
  'dedupe-needs-one-place': onField('dedupe_by', t`Enter either a header or a JSON pointer.`),
  'dedupe-header-malformed': onField('dedupe_header', t`Enter the name of a header.`),
  'dedupe-pointer-malformed': onField('dedupe_pointer', t`Enter a JSON pointer, such as /id.`),
  'dedupe-window-malformed': onField('dedupe_window', t`Enter a whole number of seconds from 1 to 86400.`),
  'bot-unknown': noFormError,
  'not-allowed': noFormError,
  'invitation-unknown': noFormError,
  'works-already': noFormError,
  'owner-unknown': noFormError,
  'chat-platform-id-malformed': noFormError,
  'chat-platform-id-taken': noFormError,
  'avatar-malformed': noFormError,
  'plan-malformed': noFormError,
  'kind-malformed': noFormError,
  'flows-managed-by-operator': noFormError,
  'public-code-malformed': noFormError,
  'capability-malformed': noFormError,
  'guild-id-malformed': noFormError,
  'webhook-key-malformed': noFormError,
  'webhook-needs-event-flow': noFormError,
  'log-message-malformed': noFormError,
}

function onField(field: string, message: Words): FormError {
  return { field, message }
}

function aboveForm(message: Words): FormError {
  return { message }
}
