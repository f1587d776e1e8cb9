import type { Bots } from '../bots/bots.ts'
import type { BotId } from '../ids.ts'
import type { QueueRetention } from './delivery-queue.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Keeps the gateway in step with the bots: a changed flow is read anew at once, and what a deleted bot leaves in the
 * queue is removed, so that it never reaches a later bot of the same id. Returns how to stop.
 */
export function followBots(parts: {
  bots: Pick<Bots, 'records' | 'changes'>
  webhooks: Webhooks
  queue: Pick<QueueRetention, 'discard'>
  onFault: (error: unknown, doing: string) => void
}): () => void {
  const { bots, webhooks, queue, onFault } = parts
  const discardIfDeleted = async (botId: BotId) => {
    if ((await bots.records.find(botId)) === undefined) await queue.discard(botId)
  }
  return bots.changes.onBot((botId) => {
    webhooks.forget(botId)
    discardIfDeleted(botId).catch((error) => onFault(error, 'removing the events of a deleted bot'))
  })
}
