import type { BotId } from '../../../domain/ids.ts'
import { leaseMs } from '../../../domain/limits/limits.ts'
import { columnsOf } from './columns-of.ts'
import { statement } from './distribution.ts'
import type { QueueParts } from './queue-parts.ts'
import { type AttemptName, attemptNamed, deliveryOf } from './queue-row.ts'

interface HeldRow {
  bot_id: BotId
  number: number
  leases: number
}

/** Renews leases and moves them to this node. Resolves with the deliveries that are not leased to the holder. */
export async function renewLeases(
  { pool, distribution, nodeId }: QueueParts,
  renewal: { holder: string; deliveries: readonly string[]; nowMs: number },
): Promise<string[]> {
  const { holder, deliveries, nowMs } = renewal
  const names = deliveries.flatMap((delivery) => attemptNamed(delivery) ?? [])
  await distribution.learn(pool, names)
  const rows = await distribution.run<HeldRow, AttemptName>(pool, renew, names, (some) => [
    ...columnsOf(some, 'botId', 'number', 'lease'),
    holder,
    nodeId,
    nowMs + leaseMs,
  ])
  const held = new Set(rows.map(({ bot_id: botId, number, leases: lease }) => deliveryOf({ botId, number, lease })))
  return deliveries.filter((delivery) => !held.has(delivery))
}

const renew = statement(
  (and) => `UPDATE queue_events AS event SET until_ms = $6, node_id = $5
    FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS named (bot_id, number, lease)
    WHERE event.bot_id = named.bot_id AND event.number = named.number
      AND state = 'leased' AND leases = named.lease AND holder = $4 ${and('event.bot_id')}
    RETURNING event.bot_id, event.number, event.leases`,
)
