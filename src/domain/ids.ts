import { randomBytes } from 'node:crypto'

/** IDs are branded types, so that one kind of ID can't be passed for another. Each brand has one parser. */
declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type UserId = Branded<'UserId'>
export type ApplicationId = Branded<'ApplicationId'>
export type ClientId = Branded<'ClientId'>
export type BotId = Branded<'BotId'>
export type FlowId = Branded<'FlowId'>
export type RuntimeId = Branded<'RuntimeId'>
export type OperatorKeyId = Branded<'OperatorKeyId'>
export type PersonalTokenId = Branded<'PersonalTokenId'>
export type SubscriptionId = Branded<'SubscriptionId'>
export type ChatPlatformId = Branded<'ChatPlatformId'>
export type AttemptId = Branded<'AttemptId'>

const internalId = /^[A-Za-z0-9_-]{1,64}$/
const chatPlatformId = /^[0-9]{17,20}$/

/**
 * Parses a user ID. IDs have 1 to 64 characters of `[A-Za-z0-9_-]`. The parsers return `undefined` for anything else.
 */
export function parseUserId(text: string): UserId | undefined {
  return internalId.test(text) ? (text as UserId) : undefined
}
export function parseApplicationId(text: string): ApplicationId | undefined {
  return internalId.test(text) ? (text as ApplicationId) : undefined
}
export function parseFlowId(text: string): FlowId | undefined {
  return internalId.test(text) ? (text as FlowId) : undefined
}
export function parseRuntimeId(text: string): RuntimeId | undefined {
  return internalId.test(text) ? (text as RuntimeId) : undefined
}
export function parseOperatorKeyId(text: string): OperatorKeyId | undefined {
  return internalId.test(text) ? (text as OperatorKeyId) : undefined
}
export function parsePersonalTokenId(text: string): PersonalTokenId | undefined {
  return internalId.test(text) ? (text as PersonalTokenId) : undefined
}
export function parseSubscriptionId(text: string): SubscriptionId | undefined {
  return internalId.test(text) ? (text as SubscriptionId) : undefined
}

/**
 * Parses a bot ID. Bot IDs have the format of the other IDs, but must not look like a chat-platform ID: a URL that
 * accepts both kinds must identify exactly one bot.
 */
export function parseBotId(text: string): BotId | undefined {
  return internalId.test(text) && !chatPlatformId.test(text) ? (text as BotId) : undefined
}

/** Parses the chat platform's snowflake: 17 to 20 digits. */
export function parseChatPlatformId(text: string): ChatPlatformId | undefined {
  return chatPlatformId.test(text) ? (text as ChatPlatformId) : undefined
}

/** Client IDs aren't parsed: a client ID is valid if it exists in the store. */
export function asClientId(text: string): ClientId {
  return text as ClientId
}
export function asAttemptId(text: string): AttemptId {
  return text as AttemptId
}

export function newUserId(): UserId {
  return newId() as UserId
}
export function newApplicationId(): ApplicationId {
  return newId() as ApplicationId
}
export function newFlowId(): FlowId {
  return newId() as FlowId
}
export function newRuntimeId(): RuntimeId {
  return newId() as RuntimeId
}
export function newOperatorKeyId(): OperatorKeyId {
  return newId() as OperatorKeyId
}
export function newPersonalTokenId(): PersonalTokenId {
  return newId() as PersonalTokenId
}
export function newSubscriptionId(): SubscriptionId {
  return newId() as SubscriptionId
}
export function newAttemptId(): AttemptId {
  return newId() as AttemptId
}

const outboxPrefix = 'subscription:'

/** The name of a subscription's events in the delivery queue, in place of a bot ID. No bot ID contains a colon. */
export function outboxOf(id: SubscriptionId): BotId {
  return `${outboxPrefix}${id}` as BotId
}

/** Returns `undefined` for a bot. */
export function subscriptionOf(botId: BotId): SubscriptionId | undefined {
  return botId.startsWith(outboxPrefix) ? (botId.slice(outboxPrefix.length) as SubscriptionId) : undefined
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz'

/** Returns a random ID of 22 characters (over 120 bits). IDs are not secret. */
export function newId(): string {
  let id = ''
  while (id.length < 22) {
    for (const byte of randomBytes(32)) {
      const letter = alphabet[byte & 63]
      if (letter !== undefined && id.length < 22) id += letter
    }
  }
  return id
}
