/**
 * Returns which of the lanes is a bot's. It is always the same one, so that the batches of a node don't wait for each
 * other's locks.
 */
export function laneOf(botId: string, lanes: number): number {
  let sum = 0
  for (let at = 0; at < botId.length; at += 1) sum = (sum * 31 + botId.charCodeAt(at)) >>> 0
  return sum % lanes
}
