import { BotRefusal } from '../domain/bots/bot-refusal.ts'
import {
  type ApplicationId,
  type BotId,
  type FlowId,
  parseApplicationId,
  parseBotId,
  parseFlowId,
  parseRuntimeId,
  parseSubscriptionId,
  parseUserId,
  type RuntimeId,
  type SubscriptionId,
  type UserId,
} from '../domain/ids.ts'
import type { Parameters } from './operation.ts'
import { Problem } from './problem.ts'
import { botIdText, idText } from './schemas.ts'

// Functions that read an ID from the path. A malformed ID throws a 400 problem.
export const userIdIn = (parameters: Parameters): UserId => idIn(parameters, 'userId', parseUserId, idText)
export const applicationIdIn = (parameters: Parameters): ApplicationId =>
  idIn(parameters, 'applicationId', parseApplicationId, idText)
export const botIdIn = (parameters: Parameters): BotId => idIn(parameters, 'botId', parseBotId, botIdText)
export const flowIdIn = (parameters: Parameters): FlowId => idIn(parameters, 'flowId', parseFlowId, idText)
export const runtimeIdIn = (parameters: Parameters): RuntimeId => idIn(parameters, 'runtimeId', parseRuntimeId, idText)
export const subscriptionIdIn = (parameters: Parameters): SubscriptionId =>
  idIn(parameters, 'subscriptionId', parseSubscriptionId, idText)

/** Returns the key number from the path. If it is malformed, returns 0, which no key has. */
export function keyNumberIn({ keyNumber = '' }: Parameters): number {
  return /^[0-9]{1,15}$/.test(keyNumber) ? Number(keyNumber) : 0
}

function idIn<Id>(parameters: Parameters, name: string, parse: (text: string) => Id | undefined, expected: string): Id {
  const id = parse(parameters[name] ?? '')
  if (id === undefined) throw new Problem(400, `The ${name} in the URL is malformed. Expected: ${expected}.`)
  return id
}

/** Returns the bots from a runtime's body, `null` for every bot. Reports a malformed ID as an unknown bot. */
export function botIdsOf(sent: '*' | readonly string[]): BotId[] | null {
  return sent === '*' ? null : sent.map(botIdOf)
}

function botIdOf(text: string): BotId {
  const id = parseBotId(text)
  if (id === undefined) throw new BotRefusal('runtime-bot-unknown', { detail: text })
  return id
}
