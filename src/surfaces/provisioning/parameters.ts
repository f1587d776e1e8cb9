import {
  type ApplicationId,
  type BotId,
  type FlowId,
  parseApplicationId,
  parseBotId,
  parseFlowId,
  parseRuntimeId,
  parseUserId,
  type RuntimeId,
  type UserId,
} from '../../domain/ids.ts'
import { botIdText, idText } from './contract.ts'
import type { Parameters } from './operation.ts'
import { Problem } from './problem.ts'

// IDs from the path. Malformed IDs throw a 400 problem.
export const userIdIn = (parameters: Parameters): UserId => idIn(parameters, 'userId', parseUserId, idText)
export const applicationIdIn = (parameters: Parameters): ApplicationId =>
  idIn(parameters, 'applicationId', parseApplicationId, idText)
export const botIdIn = (parameters: Parameters): BotId => idIn(parameters, 'botId', parseBotId, botIdText)
export const flowIdIn = (parameters: Parameters): FlowId => idIn(parameters, 'flowId', parseFlowId, idText)
export const runtimeIdIn = (parameters: Parameters): RuntimeId => idIn(parameters, 'runtimeId', parseRuntimeId, idText)

/** Returns the key number from the path. If it is malformed, returns 0, which no key has. */
export function keyNumberIn({ keyNumber = '' }: Parameters): number {
  return /^[0-9]{1,15}$/.test(keyNumber) ? Number(keyNumber) : 0
}

function idIn<Id>(parameters: Parameters, name: string, parse: (text: string) => Id | undefined, expected: string): Id {
  const id = parse(parameters[name] ?? '')
  if (id === undefined) throw new Problem(400, `The ${name} in the URL is malformed. Expected: ${expected}.`)
  return id
}
