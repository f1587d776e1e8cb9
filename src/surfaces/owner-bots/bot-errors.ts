import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import { statusNoticeMaxCharacters } from '../../domain/limits.ts'

/** What a form's page says after a refusal, and beside which field; without one, above the form. */
export interface FormError {
  field?: string
  message: string
}

/** Cannot come of a form of these pages, or has a page of its own; if it does come, it is a fault of ours. */
const notHere = undefined

const formErrors: Record<BotRefusalReason, FormError | typeof notHere> = {
  'user-unknown': { field: 'who', message: 'This account is not there any more.' },
  'user-is-owner': { field: 'who', message: 'You own the bot and may do everything with it. Name somebody else.' },
  'name-missing': { field: 'name', message: 'Enter a name.' },
  'name-too-long': { field: 'name', message: 'Use a name of at most 100 characters.' },
  'runtime-bot-unknown': { message: 'The bot has another owner now. Open its page again.' },
  'flow-unknown': { message: 'The flow is not there any more.' },
  'webhook-missing': { message: 'The flow does not listen for webhooks any more.' },
  'key-unknown': { message: 'This key has ended already.' },
  'key-needed': { message: 'The flow needs a key. Make a new one instead; you can end this one with it.' },
  'runtime-unknown': { message: 'The runtime is not there any more.' },
  'runtimes-too-many': {
    message: 'You have as many runtimes as one owner may. Remove one that you do not use any more.',
  },
  'notice-too-long': { field: 'notice', message: `Use at most ${statusNoticeMaxCharacters} characters.` },
  'signature-preset-unknown': { field: 'preset', message: 'Choose one of the senders, or HMAC.' },
  'signature-member-unwanted': { field: 'preset', message: 'Fill in only what this way of signing takes.' },
  'signature-secret-malformed': { field: 'secret', message: 'Use 1 to 256 characters on one line.' },
  'signature-secret-missing': { field: 'secret', message: 'Enter the secret that the sender signs with.' },
  'signature-public-key-malformed': { field: 'public_key', message: 'Enter the public key, 64 hexadecimal digits.' },
  'signature-header-malformed': { field: 'header', message: 'Enter the name of the header with the signature.' },
  'signature-hash-unknown': { field: 'hash', message: 'Choose SHA-1, SHA-256 or SHA-512.' },
  'signature-encoding-unknown': { field: 'encoding', message: 'Choose hexadecimal or Base64.' },
  'signature-prefix-malformed': { field: 'prefix', message: 'Use at most 32 visible ASCII characters.' },
  'dedupe-needs-one-place': { field: 'dedupe_by', message: 'Name a header or a place in the body, one of the two.' },
  'dedupe-header-malformed': { field: 'dedupe_header', message: 'Enter the name of a header.' },
  'dedupe-pointer-malformed': { field: 'dedupe_pointer', message: 'Enter a JSON pointer such as /id.' },
  'dedupe-window-malformed': { field: 'dedupe_window', message: 'Enter whole seconds, 1 to 86400.' },
  'bot-unknown': notHere,
  'not-allowed': notHere,
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

/** Does the work of a form. Undefined when it is done; else what its page says. */
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
