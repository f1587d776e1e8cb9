import { isolatedSteps, oneAtATime } from '../../../domain/background-work.ts'
import { systemClock } from '../../../domain/clock.ts'
import { byBot } from './distribution.ts'
import type { EventName } from './event-ids.ts'
import { markUnmarked } from './leases.ts'
import type { QueueParts } from './queue-parts.ts'

const beatEveryMs = 1_000
const goneAfterMs = 10_000

/** Heartbeats of nodes, timed only by the database's clock. A node without one for ten seconds counts as gone. */
export function newNodes(parts: QueueParts) {
  const { pool, writers, nodeId, onFault } = parts
  // If a heartbeat fails, the next interval tries again.
  const beating = oneAtATime(() => beat().catch(noteOutage))
  let outageAtMs = Number.NEGATIVE_INFINITY
  let stop: (() => void) | undefined

  return {
    async start(): Promise<void> {
      await beat()
      stop = systemClock.every(beatEveryMs, beating.run)
    },

    /** Performs a test write through the pool that stores webhooks. Throws StoreUnavailable. */
    async probe(): Promise<void> {
      await writers.rows(probe, [nodeId])
    },

    /** Takes over leases from nodes that are gone, each by exactly one node. Resolves with the holders. */
    async adopt(): Promise<string[]> {
      // After an outage of the database, the other nodes need time for their next heartbeats.
      if (performance.now() - outageAtMs < goneAfterMs) return []
      const attempt = isolatedSteps(onFault)
      const holders = new Set<string>()
      const gone = await pool.rows<{ node: string; left: boolean }>(goneNodes, [nodeId]).catch((error) => {
        noteOutage()
        throw error
      })
      if (gone.some(({ left }) => !left)) await attempt('marking of strict order', {}, () => markUnmarked(parts))
      for (const { node } of gone) {
        const ofNode = await attempt('lease adoption from a node', { node }, () => adoptOf(node))
        for (const holder of ofNode ?? []) holders.add(holder)
      }
      return [...holders]
    },

    async close(): Promise<void> {
      stop?.()
      await beating.running
      // If this fails, the other nodes notice after ten seconds that this node is gone.
      if (stop !== undefined) await pool.rows(leave, [nodeId]).catch(() => {})
    },
  }

  function adoptOf(node: string): Promise<string[]> {
    return pool.transaction(async (transaction) => {
      if ((await transaction.rows(forget, [node])).length === 0) return []
      const leases = await transaction.rows<EventName>(leasesOfNode, [node])
      const taken = byBot(leases).map(({ botId, items }) =>
        transaction.rows<{ holder: string }>(take, [botId, items.map(({ number }) => number), node, nodeId]),
      )
      return (await Promise.all(taken)).flat().map(({ holder }) => holder)
    })
  }

  function noteOutage(): void {
    outageAtMs = performance.now()
  }

  async function beat(): Promise<void> {
    await pool.rows(heartbeat, [nodeId])
  }
}

const heartbeat =
  'INSERT INTO queue_nodes (node_id) VALUES ($1) ON CONFLICT (node_id) DO UPDATE SET seen_at = clock_timestamp()'
const probe = `INSERT INTO queue_nodes AS known (node_id) VALUES ($1)
    ON CONFLICT (node_id) DO UPDATE SET probes = known.probes + 1, seen_at = clock_timestamp()`
const leave = "UPDATE queue_nodes SET seen_at = '-infinity' WHERE node_id = $1"
const isGone = `seen_at < clock_timestamp() - interval '${goneAfterMs} milliseconds'`
const goneNodes = `SELECT node_id AS node, seen_at = '-infinity' AS left FROM queue_nodes WHERE ${isGone} AND node_id <> $1`
const forget = `DELETE FROM queue_nodes WHERE ${isGone} AND node_id = $1 RETURNING node_id`
const leasesOfNode = `SELECT bot_id AS "botId", number FROM queue_events
    WHERE state = 'leased' AND holder IS NOT NULL AND node_id = $1`
const take = `UPDATE queue_events SET node_id = $4
    WHERE bot_id = $1 AND number = ANY ($2::bigint[]) AND state = 'leased' AND node_id = $3 RETURNING holder`
