import type { Bots } from '../bots/bots.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Applies bot changes to the gateway: invalidates cached listeners, stores refused webhooks and removes the events of
 * deleted bots. Returns a function that unsubscribes.
 */
export function followBots(parts: {
  bots: Pick<Bots, 'deleted' | 'changes'>
  webhooks: Webhooks
  refusalLog: RefusalLog
  onFault: (error: unknown, doing: string) => void
}): () => void {
  const { bots, webhooks, refusalLog, onFault } = parts
  return bots.changes.onBot((botId) => {
    webhooks.forget(botId)
    // A flush drops the refusals of a deleted bot, so that a later bot with the same ID doesn't show them.
    refusalLog.flush(botId).catch((error) => onFault(error, 'refused webhook flush'))
    bots.deleted.discardEvents(botId, 'keep').catch((error) => onFault(error, 'event removal of a deleted bot'))
  })
}
