import type { BotId, FlowId } from '../../domain/ids.ts'
import type { StrictFlow } from '../../domain/webhooks/delivery-queue.ts'
import type { SqliteFile } from './sqlite-file.ts'

const cachedBotsMax = 10_000

/**
 * Returns a function that reads which of a bot's flows have strict order now. Each claim calls it, so it caches the
 * answers until a trigger reports a change of any flow (decision 0004).
 */
export function strictFlowsIn(identity: SqliteFile): (botId: BotId) => readonly StrictFlow[] {
  const select = identity.statement('SELECT id, events_before FROM flows WHERE bot_id = ? AND webhook_ordered = 1')
  const cache = new Map<BotId, readonly StrictFlow[]>()
  identity.onChange('flows', () => cache.clear())
  return (botId) => {
    const known = cache.get(botId)
    if (known !== undefined) return known
    const rows = select.all(botId) as unknown as { id: FlowId; eventsBefore: number }[]
    const flows = rows.map(({ id: flowId, eventsBefore }) => ({ botId, flowId, eventsBefore }))
    if (cache.size >= cachedBotsMax) cache.clear()
    cache.set(botId, flows)
    return flows
  }
}
