/**
 * Returns the bot's lane. A bot's lane never changes, so that a node's batches don't wait for each other's row locks.
 */
export function laneOf(botId: string, lanes: number): number {
  let sum = 0
  for (let at = 0; at < botId.length; at += 1) sum = (sum * 31 + botId.charCodeAt(at)) >>> 0
  return sum % lanes
}
