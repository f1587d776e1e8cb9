import type { BotId } from '../../../domain/ids.ts'
import type { StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import type { Queries } from '../postgres-pool.ts'
import type { QueueParts } from './queue-parts.ts'

/** Maximum number of rows per transaction, which keeps the bot's webhooks waiting. */
const rowsAtOnce = 2_000

export function strictFlows(on: Queries, botIds: readonly BotId[]): Promise<StrictFlow[]> {
  return on.rows<StrictFlow>(strict, [botIds])
}

/**
 * Marks the bot's unfinished events according to its flows' current settings: `ordered` for those in strict order.
 *
 * New events are marked by the node that accepts them, which may know an older setting. The claim therefore compares
 * the marks with the settings, and calls this function when they differ.
 */
export async function markOrder({ pool }: QueueParts, botId: BotId): Promise<void> {
  let full: boolean
  do {
    full = await pool.transaction(async (transaction) => {
      // Of two calls, the one that reads the settings later must also write later.
      if ((await transaction.rows(lockBot, [botId])).length === 0) return false
      const flows = await strictFlows(transaction, [botId])
      const values = [botId, flows.map(({ flowId }) => flowId), flows.map(({ eventsBefore }) => eventsBefore)]
      const marked = await Promise.all([
        transaction.rows(unmark, values),
        flows.length > 0 ? transaction.rows(mark, values) : [],
      ])
      return marked.some((rows) => rows.length === rowsAtOnce)
    })
  } while (full)
}

/** A query of the flows of the bots in `$1` that have strict order now. */
export const storedStrictFlows = `SELECT bot_id, id AS flow_id, events_before FROM flows
    WHERE bot_id = ANY ($1::text[]) AND webhook_ordered = 1`
const strict = `SELECT bot_id AS "botId", flow_id AS "flowId", events_before AS "eventsBefore"
    FROM (${storedStrictFlows}) AS strict`
const lockBot = 'SELECT 1 AS one FROM queue_entered WHERE bot_id = $1 FOR UPDATE'
const isStrict = `EXISTS (SELECT 1 FROM unnest($2::text[], $3::bigint[]) AS strict (flow_id, events_before)
      WHERE strict.flow_id = event.flow_id AND event.number > strict.events_before)`

function markAs(ordered: boolean): string {
  const [is, should] = ordered ? ['NOT ordered', isStrict] : ['ordered', `NOT ${isStrict}`]
  return `WITH wrong AS (
      SELECT number FROM queue_events AS event WHERE bot_id = $1 AND ${is} AND ${should}
      ORDER BY number LIMIT ${rowsAtOnce} FOR UPDATE
    )
    UPDATE queue_events AS event SET ordered = ${ordered} FROM wrong
    WHERE event.bot_id = $1 AND event.number = wrong.number RETURNING 1 AS one`
}

const mark = markAs(true)
const unmark = markAs(false)
