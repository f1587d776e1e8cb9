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

function parserOf<Id extends string>(form: RegExp): (text: string) => Id | undefined {
  return (text) => (form.test(text) ? (text as Id) : undefined)
}

/** IDs have 1 to 64 characters of `[A-Za-z0-9_-]`. The parsers return `undefined` for anything else. */
export const parseUserId = parserOf<UserId>(internalId)
export const parseApplicationId = parserOf<ApplicationId>(internalId)
export const parseFlowId = parserOf<FlowId>(internalId)
export const parseRuntimeId = parserOf<RuntimeId>(internalId)
export const parseOperatorKeyId = parserOf<OperatorKeyId>(internalId)
export const parsePersonalTokenId = parserOf<PersonalTokenId>(internalId)
export const parseSubscriptionId = parserOf<SubscriptionId>(internalId)
/** A snowflake of the chat platform: 17 to 20 digits. */
export const parseChatPlatformId = parserOf<ChatPlatformId>(chatPlatformId)

/** Bot IDs must not look like a chat-platform ID: a URL that accepts both kinds must identify exactly one bot. */
export function parseBotId(text: string): BotId | undefined {
  return internalId.test(text) && !chatPlatformId.test(text) ? (text as BotId) : undefined
}

/** Client IDs aren't parsed: a client ID is valid if it exists in the store. */
export function asClientId(text: string): ClientId {
  return text as ClientId
}
export function asAttemptId(text: string): AttemptId {
  return text as AttemptId
}

export const newUserId = () => newId() as UserId
export const newApplicationId = () => newId() as ApplicationId
export const newFlowId = () => newId() as FlowId
export const newRuntimeId = () => newId() as RuntimeId
export const newOperatorKeyId = () => newId() as OperatorKeyId
export const newPersonalTokenId = () => newId() as PersonalTokenId
export const newSubscriptionId = () => newId() as SubscriptionId
export const newAttemptId = () => newId() as AttemptId

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
