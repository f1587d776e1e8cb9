import type { Bots } from '../../domain/bots/bots.ts'
import type { BotId } from '../../domain/ids.ts'
import type { Parameters } from '../../rest/operation.ts'
import { botIdIn } from '../../rest/parameters.ts'
import { noSuchRecord } from '../../rest/problem.ts'

/** Returns the bot ID from the path. @throws Problem 400 if it is malformed, 404 if there is no such bot. */
export async function existingBotIn(parameters: Parameters, { records }: Pick<Bots, 'records'>): Promise<BotId> {
  const botId = botIdIn(parameters)
  if ((await records.find(botId)) === undefined) throw noSuchRecord(`bot ${botId}`)
  return botId
}
