import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { notice } from '../../pages/components/notice.ts'
import { type Html, type Words, words } from '../../pages/html.ts'
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
  'user-unknown': onField('who', {
    en: 'This account no longer exists.',
    de: 'Dieses Konto gibt es nicht mehr.',
  }),
  'user-is-owner': onField('who', {
    en: 'You own this bot, so you already have full access. Enter another user.',
    de: 'Dieser Bot gehört Ihnen. Geben Sie einen anderen Benutzer ein.',
  }),
  'invited-missing': onField('label', {
    en: 'Enter a name or an email address.',
    de: 'Geben Sie einen Namen oder eine E-Mail-Adresse ein.',
  }),
  'invited-too-long': onField('label', {
    en: `Use at most ${limits.invitationLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${limits.invitationLabelMaxCharacters} Zeichen.`,
  }),
  'invitations-too-many': aboveForm({
    en: `A bot can have at most ${limits.invitationsPerBot} open invitations. Revoke one first.`,
    de: `Ein Bot kann höchstens ${limits.invitationsPerBot} offene Einladungen haben. Widerrufen Sie zuerst eine.`,
  }),
  'name-missing': onField('name', { en: 'Enter a name.', de: 'Geben Sie einen Namen ein.' }),
  'name-too-long': onField('name', {
    en: 'Use a name of at most 100 characters.',
    de: 'Verwenden Sie einen Namen mit höchstens 100 Zeichen.',
  }),
  'runtime-bot-unknown': aboveForm({
    en: 'This bot has a new owner. Open its page again.',
    de: 'Dieser Bot hat einen neuen Eigentümer. Laden Sie die Seite neu.',
  }),
  'runtime-needs-bot': aboveForm({
    en: 'You own no bot that a runtime could host.',
    de: 'Sie besitzen keinen Bot, den eine Runtime hosten könnte.',
  }),
  'flow-unknown': aboveForm({ en: 'This flow no longer exists.', de: 'Diesen Flow gibt es nicht mehr.' }),
  'flows-too-many': aboveForm({
    en: `A bot can have at most ${limits.flowsPerBot} flows. Remove one first.`,
    de: `Ein Bot kann höchstens ${limits.flowsPerBot} Flows haben. Entfernen Sie zuerst einen.`,
  }),
  'webhook-path-malformed': onField('path', {
    en: 'Use 1 to 100 letters, digits and - _ . / ~.',
    de: 'Verwenden Sie 1 bis 100 Buchstaben, Ziffern und - _ . / ~.',
  }),
  'webhook-path-has-dots': onField('path', {
    en: 'Remove the segments . and .., because HTTP clients change URLs that contain them.',
    de: 'Entfernen Sie die Segmente . und .., denn HTTP-Clients verändern URLs, die sie enthalten.',
  }),
  'webhook-path-taken': onField('path', {
    en: 'Another flow of this bot uses this path. Choose another one.',
    de: 'Ein anderer Flow dieses Bots verwendet diesen Pfad bereits. Wählen Sie einen anderen.',
  }),
  'webhook-missing': aboveForm({
    en: 'This flow no longer accepts webhooks.',
    de: 'Dieser Flow nimmt keine Webhooks mehr an.',
  }),
  'key-unknown': aboveForm({ en: 'This key no longer works.', de: 'Dieser Schlüssel ist nicht mehr gültig.' }),
  'key-needed': aboveForm({
    en: 'This is the current key. You can revoke it only when you replace it.',
    de: 'Das ist der aktuelle Schlüssel. Sie können ihn nur beim Ersetzen widerrufen.',
  }),
  'runtime-unknown': aboveForm({ en: 'This runtime no longer exists.', de: 'Diese Runtime gibt es nicht mehr.' }),
  'email-unconfirmed': { message: confirmEmailFirst },
  'runtimes-too-many': aboveForm({
    en: 'You have the maximum number of runtimes. Remove one that you no longer use.',
    de: 'Sie haben die maximale Anzahl an Runtimes erreicht. Entfernen Sie eine, die Sie nicht mehr brauchen.',
  }),
  'notice-too-long': onField('notice', {
    en: `Use at most ${limits.statusNoticeMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${limits.statusNoticeMaxCharacters} Zeichen.`,
  }),
  'signature-preset-unknown': onField('preset', {
    en: 'Choose a sender from the list.',
    de: 'Wählen Sie einen Absender aus der Liste.',
  }),
  'signature-member-unwanted': onField('preset', {
    en: 'Fill in only the fields that this sender uses.',
    de: 'Füllen Sie nur die Felder aus, die dieser Absender verwendet.',
  }),
  'signature-secret-malformed': onField('secret', {
    en: 'Use 1 to 256 characters on one line.',
    de: 'Verwenden Sie 1 bis 256 Zeichen ohne Zeilenumbruch.',
  }),
  'signature-secret-missing': onField('secret', {
    en: 'Enter the secret that the sender signs with.',
    de: 'Geben Sie das Secret ein, mit dem der Absender signiert.',
  }),
  'signature-public-key-malformed': onField('public_key', {
    en: 'Enter the public key as 64 hexadecimal digits.',
    de: 'Geben Sie den öffentlichen Schlüssel mit 64 Hexadezimalziffern ein.',
  }),
  'signature-public-key-invalid': onField('public_key', {
    en: 'No Ed25519 public key has these digits. Copy the key from Discord again.',
    de: 'Diese Ziffern sind kein öffentlicher Ed25519-Schlüssel. Kopieren Sie den Schlüssel noch einmal aus Discord.',
  }),
  'signature-header-malformed': onField('header', {
    en: 'Enter the name of the header that carries the signature.',
    de: 'Geben Sie den Namen des Headers ein, der die Signatur enthält.',
  }),
  'signature-hash-unknown': onField('hash', {
    en: 'Choose SHA-1, SHA-256 or SHA-512.',
    de: 'Wählen Sie SHA-1, SHA-256 oder SHA-512.',
  }),
  'signature-encoding-unknown': onField('encoding', {
    en: 'Choose hexadecimal or Base64.',
    de: 'Wählen Sie Hexadezimal oder Base64.',
  }),
  'signature-prefix-malformed': onField('prefix', {
    en: 'Use at most 32 visible ASCII characters.',
    de: 'Verwenden Sie höchstens 32 sichtbare ASCII-Zeichen.',
  }),
  'dedupe-needs-one-place': onField('dedupe_by', {
    en: 'Enter either a header or a JSON pointer.',
    de: 'Geben Sie entweder einen Header oder einen JSON-Pointer ein.',
  }),
  'dedupe-header-malformed': onField('dedupe_header', {
    en: 'Enter the name of a header.',
    de: 'Geben Sie den Namen eines Headers ein.',
  }),
  'dedupe-pointer-malformed': onField('dedupe_pointer', {
    en: 'Enter a JSON pointer, such as /id.',
    de: 'Geben Sie einen JSON-Pointer ein, etwa /id.',
  }),
  'dedupe-window-malformed': onField('dedupe_window', {
    en: 'Enter a whole number of seconds from 1 to 86400.',
    de: 'Geben Sie eine ganze Zahl von 1 bis 86400 ein.',
  }),
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

function onField(field: string, message: Parameters<typeof words>[0]): FormError {
  return { field, message: words(message) }
}

function aboveForm(message: Parameters<typeof words>[0]): FormError {
  return { message: words(message) }
}
