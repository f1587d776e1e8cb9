import { DurationHistogram, Flushes, writeInBatches } from '../../domain/background-work.ts'
import { type BotId, type FlowId, outboxOf, type SubscriptionId, subscriptionOf } from '../../domain/ids-and-secrets.ts'
import { levelAfter, type RetentionLimits } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { QueueFigures } from '../../domain/webhooks/delivery-queue.ts'
import type { DeadLetterCount, HourlyCount } from '../../domain/webhooks/event-log.ts'
import { type Database, joined, raw, type Sql, sql } from '../sql/sql.ts'

/** The queue metrics that are counted from the start of the process. */
type CountedFigures = Omit<QueueFigures, 'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'oldestAcceptedAtMs'>

export function newCountedFigures(): CountedFigures {
  return {
    accepted: 0,
    refusedBotFull: 0,
    refusedQueueFull: 0,
    refusedUnavailable: 0,
    delivered: 0,
    failedAttempts: 0,
    deadLetters: 0,
    // Upper bounds of the buckets, in milliseconds. A connected runtime receives events within milliseconds. A runtime
    // that was offline receives them minutes or hours later.
    deliveryTimes: new DurationHistogram([
      5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000, 3_600_000,
    ]),
  }
}

/** Maximum number of rows per transaction, so that other writes don't wait long. */
export const rowsPerTransaction = 500

export interface Amount {
  events: number
  bytes: number
}

export const finishedStates = ['done', 'dead'] as const
export type FinishedState = (typeof finishedStates)[number]

export const retentionMs: Readonly<Record<FinishedState, number>> = {
  done: limits.acknowledgedRetentionMs,
  dead: limits.deadLetterRetentionMs,
}

export const measures = ['events', 'bytes'] as const

/** The kinds of holders of events. Each kind has its own totals. */
export const kinds = ['bots', 'outboxes'] as const
export type Kind = (typeof kinds)[number]

export function kindOf(botId: BotId): Kind {
  return subscriptionOf(botId) === undefined ? 'bots' : 'outboxes'
}

/** What every outbox's name begins with. */
export const outboxPrefix: string = outboxOf('' as SubscriptionId)

export function totalOf(limits: RetentionLimits['done'], kind: Kind): Amount {
  return kind === 'bots' ? limits : limits.outgoing
}

/** Share of a limit to which trimming goes, so that not every finished event starts another removal. */
const trimmedTo = 0.99

/** Number of holders that are trimmed per round while the totals are too large. */
export const holdersAtOnce = 50

/** Returns how much has to be removed, or `undefined` if the amount is within the limits. */
export function excessOf(kept: Amount, most: Amount): Amount | undefined {
  if (kept.events <= most.events && kept.bytes <= most.bytes) return undefined
  const beyond = (measure: keyof Amount) =>
    kept[measure] > most[measure] ? kept[measure] - trimmedTo * most[measure] : 0
  return { events: beyond('events'), bytes: beyond('bytes') }
}

/**
 * Divides the excess among the largest holders, so that they end up with equal amounts. Nobody else loses anything, and
 * each holder keeps at least about the total divided by the number of holders.
 *
 * @param largest up to {@link holdersAtOnce} holders, with their amounts in descending order.
 */
export function lossesOf(largest: readonly { botId: BotId; amount: number }[], measure: keyof Amount, excess: number) {
  const amounts = largest.map(({ amount }) => amount)
  // Holders that are not among the largest may have almost as much as the last one.
  const least = largest.length < holdersAtOnce ? 0 : 0.9 * (amounts.at(-1) ?? 0)
  const level = levelAfter(amounts, excess, least)
  return largest
    .filter(({ amount }) => amount > level)
    .map(({ botId, amount }) => ({ botId, loss: { events: 0, bytes: 0, [measure]: amount - level } }))
}

const figureNames = ['accepted', 'delivered', 'failed', 'dead'] as const
type Figure = (typeof figureNames)[number]
type Figures = Record<Figure, number>
const addedToKnown = raw(figureNames.map((name) => `${name} = known.${name} + excluded.${name}`).join())
const sumsOfFigures = raw(figureNames.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join())

/** The counts of a flow and an hour, given in hours since the epoch. */
type HourOfFlow = { botId: BotId; flowId: FlowId; hour: number } & Figures

/** Maximum number of counts per transaction, so that other writes don't wait long. */
const countsPerTransaction = 500

/** Counts events per flow and hour, in memory between flushes: webhooks write no count, and a crash loses some. */
export class HourlyCounts {
  readonly #database: Pick<Database, 'queryOnce' | 'writeEach'>
  readonly #table: Sql
  readonly #flushes = new Flushes()
  #noted = new Map<BotId, Map<FlowId, HourOfFlow[]>>()

  constructor(table: string, database: Pick<Database, 'queryOnce' | 'writeEach'>) {
    this.#table = raw(table)
    this.#database = database
  }

  note(figure: Figure, { botId, flowId }: { botId: BotId; flowId: FlowId }, atMs: number): void {
    this.#hourOfFlow(botId, flowId, hourOf(atMs))[figure] += 1
  }

  /** Keeps counts that it can't store for the next call. Throws StoreUnavailable, or the first such error. */
  flush(): Promise<void> {
    return this.#flushes.run(async () => {
      const noted = [...this.#noted.values()].flatMap((flows) => [...flows.values()].flat())
      this.#noted = new Map()
      // In the order of their keys, so that nodes never deadlock.
      const keyOf = ({ botId, flowId, hour }: HourOfFlow) => `${botId} ${flowId} ${hour}`
      noted.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      await writeInBatches(
        noted,
        countsPerTransaction,
        (batch) => this.#database.writeEach(batch.map((counts) => this.#addition(counts))),
        (unwritten) => {
          for (const counts of unwritten) add(this.#hourOfFlow(counts.botId, counts.flowId, counts.hour), counts)
        },
      )
    })
  }

  /** For each hour in which something happened, oldest first. Without a `flowId`, of every flow. */
  read(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]> {
    const sinceHour = hourOf(sinceMs)
    const ofFlow = flowId === undefined ? raw('') : sql`AND flow_id = ${flowId}`
    const stored = sql`SELECT hour, ${sumsOfFigures} FROM ${this.#table}
      WHERE bot_id = ${botId} ${ofFlow} AND hour >= ${sinceHour} GROUP BY hour`
    const read = () => this.#database.queryOnce<Figures & { hour: number }>(stored)
    return this.#flushes.read(read, (rows) => {
      const sums = new Map<number, Figures>(rows.map(({ hour, ...figures }) => [hour, figures]))
      for (const [notedFlow, hours] of this.#noted.get(botId) ?? []) {
        if (flowId !== undefined && notedFlow !== flowId) continue
        for (const counts of hours.filter(({ hour }) => hour >= sinceHour)) {
          sums.set(counts.hour, add(sums.get(counts.hour) ?? zero(), counts))
        }
      }
      const hours = [...sums].sort(([one], [other]) => one - other)
      return hours.map(([hour, figures]) => ({ hourMs: hour * hourMs, ...figures }))
    })
  }

  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]> {
    const sinceHour = hourOf(sinceMs)
    const sums = sql`SELECT bot_id, flow_id, CAST(sum(dead) AS BIGINT) AS dead FROM ${this.#table}
      WHERE bot_id IN (${joined(botIds)}) AND hour >= ${sinceHour} AND dead > 0 GROUP BY bot_id, flow_id`
    const read = async () => (botIds.length === 0 ? [] : this.#database.queryOnce<DeadLetterCount>(sums))
    return this.#flushes.read(read, (stored) => {
      const unflushed = botIds
        .flatMap((botId) => [...(this.#noted.get(botId)?.values() ?? [])].flat())
        .filter(({ hour, dead }) => hour >= sinceHour && dead > 0)
        .map(({ botId, flowId, dead }) => ({ botId, flowId, dead }))
      return [...stored, ...unflushed]
    })
  }

  /** @param most maximum number of bots. */
  async prune(nowMs: number, most: number): Promise<void> {
    const old = sql`hour < ${hourOf(nowMs - limits.hourlyCountsRetentionMs)}`
    const bots = await this.#database.queryOnce<{ botId: BotId }>(
      sql`SELECT DISTINCT bot_id FROM ${this.#table} WHERE ${old} LIMIT ${most}`,
    )
    for (const { botId } of bots) await this.#remove(sql`bot_id = ${botId} AND ${old}`)
  }

  async discard(botId: BotId): Promise<void> {
    this.#noted.delete(botId)
    await this.#remove(sql`bot_id = ${botId}`)
  }

  #remove(condition: Sql): Promise<void> {
    return this.#database.writeEach([sql`DELETE FROM ${this.#table} WHERE ${condition}`])
  }

  #addition({ botId, flowId, hour, accepted, delivered, failed, dead }: HourOfFlow): Sql {
    return sql`INSERT INTO ${this.#table} AS known (bot_id, flow_id, hour, accepted, delivered, failed, dead)
      VALUES (${botId}, ${flowId}, ${hour}, ${accepted}, ${delivered}, ${failed}, ${dead})
      ON CONFLICT (bot_id, flow_id, hour) DO UPDATE SET ${addedToKnown}`
  }

  #hourOfFlow(botId: BotId, flowId: FlowId, hour: number): HourOfFlow {
    const hours = this.#noted.getOrInsertComputed(botId, () => new Map()).getOrInsert(flowId, [])
    // The current hour is the last entry unless the clock was set back.
    const last = hours.at(-1)
    const noted = last?.hour === hour ? last : hours.find((each) => each.hour === hour)
    if (noted !== undefined) return noted
    const counts = { botId, flowId, hour, ...zero() }
    hours.push(counts)
    return counts
  }
}

const hourMs = 3_600_000

function hourOf(atMs: number): number {
  return Math.floor(atMs / hourMs)
}

function zero(): Figures {
  return { accepted: 0, delivered: 0, failed: 0, dead: 0 }
}

function add(to: Figures, from: Figures): Figures {
  for (const name of figureNames) to[name] += from[name]
  return to
}
