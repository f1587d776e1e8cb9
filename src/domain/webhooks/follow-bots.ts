import type { Bots } from '../bots/bots.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Applies bot changes to the gateway: invalidates cached listeners and removes the events of deleted bots. Returns a
 * function that unsubscribes.
 */
export function followBots(parts: {
  bots: Pick<Bots, 'deleted' | 'changes'>
  webhooks: Webhooks
  onFault: (error: unknown, doing: string) => void
}): () => void {
  const { bots, webhooks, onFault } = parts
  return bots.changes.onBot((botId) => {
    webhooks.forget(botId)
    bots.deleted.discardEvents(botId, 'keep').catch((error) => onFault(error, 'event removal of a deleted bot'))
  })
}
