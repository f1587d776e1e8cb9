import { type Attempt, isolatedSteps, type OnFault } from '../../../domain/attempt.ts'
import type { BotId } from '../../../domain/ids.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { byBot } from './by-bot.ts'

const beatEveryMs = 1_000

/**
 * Heartbeats of nodes, timed only by the database's clock. A node without a heartbeat for ten seconds counts as gone.
 */
export class Nodes {
  readonly #pool: PostgresPool
  readonly #probing: PostgresPool
  readonly #nodeId: string
  readonly #attempt: Attempt
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<unknown> | undefined

  /** @param parts.probing the pool that stores webhooks. */
  constructor(parts: { pool: PostgresPool; probing: PostgresPool; nodeId: string; onFault: OnFault }) {
    this.#pool = parts.pool
    this.#probing = parts.probing
    this.#nodeId = parts.nodeId
    this.#attempt = isolatedSteps(parts.onFault)
  }

  async start(): Promise<void> {
    await this.#pool.rows(beat, [this.#nodeId])
    this.#timer = setInterval(() => {
      this.#beating ??= this.#pool
        .rows(beat, [this.#nodeId])
        .catch(() => {})
        .finally(() => {
          this.#beating = undefined
        })
    }, beatEveryMs)
    this.#timer.unref()
  }

  /**
   * Performs a test write through the pool that stores webhooks.
   *
   * @throws StoreUnavailable
   */
  async probe(): Promise<void> {
    await this.#probing.rows(probe, [this.#nodeId])
  }

  /**
   * Takes over leases from nodes that are gone, and resolves with the holders. Each lease is taken over by exactly one
   * node.
   */
  async adopt(): Promise<string[]> {
    const gone = await this.#pool.rows<{ node_id: string }>(goneNodes, [this.#nodeId])
    const holders = new Set<string>()
    for (const { node_id } of gone) {
      const ofNode = await this.#attempt('lease adoption from a node', { node: node_id }, () => this.#adoptOf(node_id))
      for (const holder of ofNode ?? []) holders.add(holder)
    }
    return [...holders]
  }

  #adoptOf(nodeId: string): Promise<string[]> {
    return this.#pool.transaction(async (transaction) => {
      if ((await transaction.rows(forget, [nodeId])).length === 0) return []
      const leases = await transaction.rows<{ bot_id: BotId; number: number }>(leasesOfNode, [nodeId])
      const taken = byBot(leases, ({ bot_id }) => bot_id).map(([botId, ofBot]) => {
        const values = [botId, ofBot.map(({ number }) => number), nodeId, this.#nodeId]
        return transaction.rows<{ holder: string }>(take, values)
      })
      return [...new Set((await Promise.all(taken)).flat().map(({ holder }) => holder))]
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    // If this fails, the other nodes notice after ten seconds that this node is gone.
    if (this.#timer !== undefined) await this.#pool.rows(leave, [this.#nodeId]).catch(() => {})
  }
}

const beat =
  'INSERT INTO queue_nodes (node_id) VALUES ($1) ON CONFLICT (node_id) DO UPDATE SET seen_at = clock_timestamp()'
const probe = `INSERT INTO queue_nodes AS known (node_id) VALUES ($1)
    ON CONFLICT (node_id) DO UPDATE SET probes = known.probes + 1, seen_at = clock_timestamp()`
const leave = "UPDATE queue_nodes SET seen_at = '-infinity' WHERE node_id = $1"
const isGone = "seen_at < clock_timestamp() - interval '10 seconds'"
const goneNodes = `SELECT node_id FROM queue_nodes WHERE ${isGone} AND node_id <> $1`
const forget = `DELETE FROM queue_nodes WHERE ${isGone} AND node_id = $1 RETURNING node_id`
const leasesOfNode = `SELECT bot_id, number FROM queue_events
    WHERE state = 'leased' AND holder IS NOT NULL AND node_id = $1`
const take = `UPDATE queue_events SET node_id = $4
    WHERE bot_id = $1 AND number = ANY ($2::bigint[]) AND state = 'leased' AND node_id = $3 RETURNING holder`
