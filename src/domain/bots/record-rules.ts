import * as limits from '../limits/limits.ts'
import { type Parsed as ParsedOr, parserOfAll, Refusal } from '../refusal.ts'

export type Parsed<T> = ParsedOr<T, BotFaultReason>

export type Check = <T>(parsed: Parsed<T>) => T

export function parseName(text: string): Parsed<string> {
  const name = text.replace(/\p{Cc}+/gu, ' ').trim()
  if (name === '') return { fault: 'name-missing' }
  return [...name].length > limits.botNameMaxCharacters ? { fault: 'name-too-long' } : { value: name }
}

/** Only http and https, because the avatar is shown as an image. */
export function parseAvatar(text: string): Parsed<string> {
  return /^https?:\/\/[!-~]+$/i.test(text) && URL.canParse(text) ? { value: text } : { fault: 'avatar-malformed' }
}

/** Removes slashes before the path, because the URL already has one there. */
export function parsePath(text: string): Parsed<string> {
  if (dotSegment.test(text)) return { fault: 'webhook-path-has-dots' }
  const path = parseWebhookPath(text.replace(/^\/+/, ''))
  return path === undefined ? { fault: 'webhook-path-malformed' } : { value: path }
}

/** Removes duplicates and keeps the order. */
export function parseCapabilities(texts: readonly string[]): Parsed<string[]> {
  const within = texts.every(
    (text) => text !== '' && [...text].length <= limits.capabilityMaxCharacters && !/\p{Cc}/u.test(text),
  )
  return within ? { value: [...new Set(texts)] } : { fault: 'capability-malformed' }
}

/** HTTP clients resolve these segments before they send the URL, so the webhook would reach another flow, or none. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

const webhookPath = new RegExp(`^[A-Za-z0-9_./~-]{1,${limits.webhookPathMaxCharacters}}$`)

/** Paths are compared exactly. Percent signs are not allowed, so a path has no alternative encodings. */
export function parseWebhookPath(text: string): string | undefined {
  return webhookPath.test(text) ? text : undefined
}

export type BotFaultReason =
  | 'name-missing'
  | 'name-too-long'
  | 'avatar-malformed'
  | 'capability-malformed'
  | 'webhook-path-malformed'
  | 'webhook-path-has-dots'
  | 'notice-too-long'
  | 'signature-preset-unknown'
  | 'signature-member-unwanted'
  | 'signature-secret-malformed'
  | 'signature-secret-not-standard'
  | 'signature-public-key-malformed'
  | 'signature-public-key-invalid'
  | 'signature-header-malformed'
  | 'signature-hash-unknown'
  | 'signature-encoding-unknown'
  | 'signature-prefix-malformed'
  | 'signature-signed-malformed'
  | 'signature-timestamp-unclear'
  | 'dedupe-needs-one-place'
  | 'dedupe-header-malformed'
  | 'dedupe-pointer-malformed'
  | 'dedupe-window-malformed'

export type BotRefusalReason =
  | BotFaultReason
  | 'bot-unknown'
  /** The user has a role in the bot, but the role doesn't permit the action. */
  | 'not-allowed'
  | 'owner-unknown'
  | 'user-unknown'
  | 'user-is-owner'
  | 'collaborators-too-many'
  | 'invited-missing'
  | 'invited-too-long'
  | 'invitations-too-many'
  | 'invitation-unknown'
  | 'works-already'
  | 'runtime-unknown'
  | 'runtime-bot-unknown'
  | 'runtime-needs-bot'
  | 'runtimes-too-many'
  | 'email-unconfirmed'
  | 'webhook-needs-event-flow'
  | 'chat-platform-id-taken'
  | 'webhook-path-taken'
  /** A shared secret is required, but none was given or stored. */
  | 'signature-secret-missing'
  | 'flow-unknown'
  | 'flows-too-many'
  /** The operator doesn't let owners create or remove flows. */
  | 'flows-managed-by-operator'
  | 'webhook-missing'
  | 'key-unknown'
  | 'key-needed'

export class BotRefusal extends Refusal<BotRefusalReason> {}

export const parseAll = parserOfAll<BotFaultReason>(BotRefusal)
