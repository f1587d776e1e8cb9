import { escapeLiteral } from 'pg'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { Queries } from '../postgres-pool.ts'

/** A statement whose first parameter is an array of bot IDs, in two forms. */
interface Statement {
  /** For any number of bots. */
  any: string
  /** For bots of one shard. Citus sends it to the worker that has the shard. */
  ofShard: string
}

/** @param text returns the statement; it adds `and(column)` to the condition on each table. */
export function statement(text: (and: (column: string) => string) => string): Statement {
  return { any: text(() => ''), ofShard: text((column) => `AND ${column} = ANY ($1::text[])`) }
}

export interface OfBot<Item> {
  botId: BotId
  items: readonly Item[]
}

/** Groups items by bot, in the order in which all transactions lock the rows of bots, so that they never deadlock. */
export function byBot<Item extends { botId: BotId }>(items: readonly Item[]): OfBot<Item>[] {
  const bots = [...Map.groupBy(items, ({ botId }) => botId)].map(([botId, items]) => ({ botId, items }))
  return bots.sort((one, other) => (one.botId < other.botId ? -1 : 1))
}

/** Returns an array per key, with that property of each item, as parameters for `unnest`. */
export function columnsOf<Item>(items: readonly Item[], ...keys: (keyof Item)[]): unknown[][] {
  return keys.map((key) => items.map((item) => item[key]))
}

/** Shards can be split while nodes run, so each node looks them up again after this time. */
const shardsKnownForMs = 60_000

/**
 * Runs statements about several bots. On one server, a statement names all of them, which costs least. Where Citus
 * divides the tables, there is a statement per shard: a part of the bots, whose rows are on the same worker.
 */
export class Distribution {
  isDistributed = false
  readonly #shards = new Map<BotId, number>()
  #shardsSinceMs = 0

  async read(on: Queries): Promise<void> {
    const [citus] = await on.rows("SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'")
    if (citus === undefined) return
    const tables = await on.rows("SELECT 1 AS one FROM pg_dist_partition WHERE logicalrelid = 'queue_events'::regclass")
    this.isDistributed = tables.length > 0
  }

  /** Looks up the shards of the items' bots, by which {@link parts} divides them. Throws StoreUnavailable. */
  async learn(on: Queries, items: readonly { botId: BotId }[]): Promise<void> {
    if (!this.isDistributed) return
    const nowMs = performance.now()
    if (nowMs - this.#shardsSinceMs > shardsKnownForMs) {
      this.#shards.clear()
      this.#shardsSinceMs = nowMs
    }
    const unknown = new Set(items.map(({ botId }) => botId)).difference(this.#shards)
    if (unknown.size === 0) return
    const rows = await on.rows<{ botId: BotId; shard: number }>(shardsOf, [[...unknown]])
    for (const { botId, shard } of rows) this.#shards.set(botId, shard)
  }

  /**
   * Divides the items into parts that one statement each can handle. All transactions lock shards, and bots within a
   * shard, in the same order. A bot whose shard is unknown has a part of its own.
   */
  parts<Item extends { botId: BotId }>(items: readonly Item[]): (readonly Item[])[] {
    if (!this.isDistributed) return items.length === 0 ? [] : [items]
    const nameOf = (botId: BotId) => String(this.#shards.get(botId) ?? `bot ${botId}`)
    const shards = Map.groupBy(byBot(items), ({ botId }) => nameOf(botId))
    return [...shards]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, bots]) => bots.flatMap(({ items }) => items))
  }

  /**
   * Reads rows of `queue_events`, whatever their bots. While a worker is unavailable, Citus fails a query of all
   * shards. This method then reads shard by shard, and returns the rows of the other workers.
   *
   * @param sql a query that names the table `%s`.
   * @param values numbers and strings.
   */
  async readEvents<Row extends object>(on: Queries, sql: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await on.rows<Row>(sql.replace('%s', 'queue_events'), values)
    } catch (error) {
      if (!this.isDistributed || !(error instanceof StoreUnavailable)) throw error
      const shards = await on.rows<{ result: string }>(readReachable, [withLiterals(sql, values)])
      return shards.flatMap(({ result }) => (result === '' ? [] : (JSON.parse(result) as Row[])))
    }
  }

  formOf({ any, ofShard }: Statement): string {
    return this.isDistributed ? ofShard : any
  }

  /** @param keys the items' properties that are the first parameters, as arrays. `others` are the remaining ones. */
  async run<Row extends object, Item extends { botId: BotId }>(
    on: Queries,
    statement: Statement,
    items: readonly Item[],
    keys: readonly (keyof Item)[],
    others: readonly unknown[] = [],
  ): Promise<Row[]> {
    const sql = this.formOf(statement)
    const rows = this.parts(items).map((part) => on.rows<Row>(sql, [...columnsOf(part, ...keys), ...others]))
    return (await Promise.all(rows)).flat()
  }
}

/** Returns the statement with its parameters as literals, for {@link readReachable}. */
function withLiterals(sql: string, values: readonly unknown[]): string {
  const literals = values.map((value) => escapeLiteral(String(value)).replaceAll('%', '%%'))
  return sql.replace(/\$(\d+)/g, (_, nth) => literals[Number(nth) - 1] as string)
}

/** Runs a statement on each shard of `queue_events`, one after another. `%s` in it stands for the shard's table. */
const readReachable = `SELECT result FROM run_command_on_shards('queue_events',
    'SELECT json_agg(event) FROM (' || $1 || ') AS event', parallel := false) WHERE success`
const shardsOf = `SELECT bot_id AS "botId", get_shard_id_for_distribution_column('queue_events', bot_id) AS shard
    FROM unnest($1::text[]) AS bot_id`
