import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import type { Words } from '../../pages/html.ts'
import { botErrorWords as says } from './error-words.ts'

/** An error of a form. Shown beside its field, or above the form if `field` is absent. */
export interface FormError {
  field?: string
  message: Words
}

/** Marks refusals that no form here can cause, or that have their own page. {@link refusalOf} rethrows them. */
const notHere = undefined

const formErrors: Record<BotRefusalReason, FormError | typeof notHere> = {
  'user-unknown': { field: 'who', message: says.userUnknown },
  'user-is-owner': { field: 'who', message: says.userIsOwner },
  'invited-missing': { field: 'label', message: says.invitedMissing },
  'invited-too-long': { field: 'label', message: says.invitedTooLong },
  'invitations-too-many': { message: says.invitationsTooMany },
  'name-missing': { field: 'name', message: says.nameMissing },
  'name-too-long': { field: 'name', message: says.nameTooLong },
  'runtime-bot-unknown': { message: says.ownerChanged },
  'flow-unknown': { message: says.flowUnknown },
  'webhook-missing': { message: says.webhookMissing },
  'key-unknown': { message: says.keyUnknown },
  'key-needed': { message: says.keyNeeded },
  'runtime-unknown': { message: says.runtimeUnknown },
  'runtimes-too-many': { message: says.runtimesTooMany },
  'notice-too-long': { field: 'notice', message: says.noticeTooLong },
  'signature-preset-unknown': { field: 'preset', message: says.presetUnknown },
  'signature-member-unwanted': { field: 'preset', message: says.memberUnwanted },
  'signature-secret-malformed': { field: 'secret', message: says.secretMalformed },
  'signature-secret-missing': { field: 'secret', message: says.secretMissing },
  'signature-public-key-malformed': { field: 'public_key', message: says.publicKeyMalformed },
  'signature-header-malformed': { field: 'header', message: says.headerMalformed },
  'signature-hash-unknown': { field: 'hash', message: says.hashUnknown },
  'signature-encoding-unknown': { field: 'encoding', message: says.encodingUnknown },
  'signature-prefix-malformed': { field: 'prefix', message: says.prefixMalformed },
  'dedupe-needs-one-place': { field: 'dedupe_by', message: says.dedupeNeedsOnePlace },
  'dedupe-header-malformed': { field: 'dedupe_header', message: says.dedupeHeaderMalformed },
  'dedupe-pointer-malformed': { field: 'dedupe_pointer', message: says.dedupePointerMalformed },
  'dedupe-window-malformed': { field: 'dedupe_window', message: says.dedupeWindowMalformed },
  'bot-unknown': notHere,
  'not-allowed': notHere,
  'invitation-unknown': notHere,
  'works-already': notHere,
  'owner-unknown': notHere,
  'chat-platform-id-malformed': notHere,
  'chat-platform-id-taken': notHere,
  'avatar-malformed': notHere,
  'plan-malformed': notHere,
  'kind-malformed': notHere,
  'public-code-malformed': notHere,
  'capability-malformed': notHere,
  'guild-id-malformed': notHere,
  'webhook-path-malformed': notHere,
  'webhook-key-malformed': notHere,
  'webhook-needs-event-flow': notHere,
  'webhook-path-taken': notHere,
  'log-message-malformed': notHere,
}

/** Runs the change that a form requests. Returns its errors if it is refused, or `undefined` if it succeeds. */
export async function refusalOf(work: () => Promise<unknown>): Promise<FormError[] | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof BotRefusal)) throw error
    const errors = error.reasons.map((reason) => formErrors[reason])
    if (errors.includes(notHere)) throw error
    return errors as FormError[]
  }
}
