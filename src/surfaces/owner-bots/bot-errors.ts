import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import type { Words } from '../../pages/html.ts'
import { botErrorWords as errorWords } from './error-words.ts'

/** A form error. Shown next to its field, or above the form if `field` is absent. */
export interface FormError {
  field?: string
  message: Words
}

/** Marks refusals that the forms can't cause, or that have their own page. {@link formErrorsOf} rethrows them. */
const noFormError = undefined

const formErrors: Record<BotRefusalReason, FormError | typeof noFormError> = {
  'user-unknown': { field: 'who', message: errorWords.userUnknown },
  'user-is-owner': { field: 'who', message: errorWords.userIsOwner },
  'invited-missing': { field: 'label', message: errorWords.invitedMissing },
  'invited-too-long': { field: 'label', message: errorWords.invitedTooLong },
  'invitations-too-many': { message: errorWords.invitationsTooMany },
  'name-missing': { field: 'name', message: errorWords.nameMissing },
  'name-too-long': { field: 'name', message: errorWords.nameTooLong },
  'runtime-bot-unknown': { message: errorWords.ownerChanged },
  'flow-unknown': { message: errorWords.flowUnknown },
  'flows-too-many': { message: errorWords.flowsTooMany },
  'webhook-path-malformed': { field: 'path', message: errorWords.pathMalformed },
  'webhook-path-taken': { field: 'path', message: errorWords.pathTaken },
  'webhook-missing': { message: errorWords.webhookMissing },
  'key-unknown': { message: errorWords.keyUnknown },
  'key-needed': { message: errorWords.keyNeeded },
  'runtime-unknown': { message: errorWords.runtimeUnknown },
  'runtimes-too-many': { message: errorWords.runtimesTooMany },
  'notice-too-long': { field: 'notice', message: errorWords.noticeTooLong },
  'signature-preset-unknown': { field: 'preset', message: errorWords.presetUnknown },
  'signature-member-unwanted': { field: 'preset', message: errorWords.memberUnwanted },
  'signature-secret-malformed': { field: 'secret', message: errorWords.secretMalformed },
  'signature-secret-missing': { field: 'secret', message: errorWords.secretMissing },
  'signature-public-key-malformed': { field: 'public_key', message: errorWords.publicKeyMalformed },
  'signature-header-malformed': { field: 'header', message: errorWords.headerMalformed },
  'signature-hash-unknown': { field: 'hash', message: errorWords.hashUnknown },
  'signature-encoding-unknown': { field: 'encoding', message: errorWords.encodingUnknown },
  'signature-prefix-malformed': { field: 'prefix', message: errorWords.prefixMalformed },
  'dedupe-needs-one-place': { field: 'dedupe_by', message: errorWords.dedupeNeedsOnePlace },
  'dedupe-header-malformed': { field: 'dedupe_header', message: errorWords.dedupeHeaderMalformed },
  'dedupe-pointer-malformed': { field: 'dedupe_pointer', message: errorWords.dedupePointerMalformed },
  'dedupe-window-malformed': { field: 'dedupe_window', message: errorWords.dedupeWindowMalformed },
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

/**
 * Runs the change that a form requests. Returns the form's errors if the change is refused, or `undefined` if it
 * succeeds.
 */
export async function formErrorsOf(work: () => Promise<unknown>): Promise<FormError[] | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof BotRefusal)) throw error
    const errors = error.reasons.map((reason) => formErrors[reason])
    if (errors.includes(noFormError)) throw error
    return errors as FormError[]
  }
}
