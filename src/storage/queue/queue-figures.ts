import { writeInBatches } from '../../domain/background-work.ts'
import { DurationHistogram } from '../../domain/durations.ts'
import { Flushes } from '../../domain/flushes.ts'
import { type BotId, type FlowId, outboxOf, type SubscriptionId, subscriptionOf } from '../../domain/ids.ts'
import { levelAfter, type RetentionLimits } from '../../domain/limits/budget.ts'
import type { QueueFigures } from '../../domain/webhooks/delivery-queue.ts'
import type { DeadLetterCount, HourlyCount } from '../../domain/webhooks/event-log.ts'

type Figure = Exclude<keyof HourlyCount, 'hourMs'>
export type Figures = Record<Figure, number>

/** Stored counts of an hour, given in hours since the epoch. */
export type StoredHour = Figures & { hour: number }

export interface HourOfFlow {
  botId: BotId
  flowId: FlowId
  /** Hours since the epoch. */
  hour: number
  figures: Figures
}

const hourMs = 3_600_000

/** Hourly counts since the last flush. Kept in memory, so that accepting a webhook doesn't have to write them. */
export class UnflushedCounts {
  readonly #flushes = new Flushes()
  #noted = new Map<BotId, Map<FlowId, HourOfFlow[]>>()

  note(figure: Figure, { botId, flowId }: { botId: BotId; flowId: FlowId }, atMs: number, times = 1): void {
    this.#figures(botId, flowId, hourOf(atMs))[figure] += times
  }

  /**
   * Stores all counts, in batches of at most `most`. A count that can't be stored is kept for the next call; the others
   * are stored.
   *
   * @throws StoreUnavailable, or the error for the first count that could not be stored.
   */
  store(most: number, work: (batch: readonly HourOfFlow[]) => Promise<void>): Promise<void> {
    return this.#flushes.run(async () => {
      const noted = [...this.#noted.values()].flatMap((flows) => [...flows.values()].flat())
      this.#noted = new Map()
      await writeInBatches(noted, most, work, (unwritten) => this.#putBack(unwritten))
    })
  }

  #putBack(taken: readonly HourOfFlow[]): void {
    for (const { botId, flowId, hour, figures } of taken) {
      const noted = this.#figures(botId, flowId, hour)
      Object.assign(noted, sum(noted, figures))
    }
  }

  /**
   * Reads a bot's stored counts, or those of one of its flows, and adds the unflushed counts. Returns the sums, oldest
   * first.
   */
  hours(
    { botId, flowId, sinceHour }: { botId: BotId; flowId: FlowId | undefined; sinceHour: number },
    read: () => Promise<readonly StoredHour[]>,
  ): Promise<HourlyCount[]> {
    return this.#flushes.read(read, (rows) => {
      const sums = new Map<number, Figures>(rows.map(({ hour, ...figures }) => [hour, figures]))
      for (const [notedFlow, hours] of this.#noted.get(botId) ?? []) {
        if (flowId !== undefined && notedFlow !== flowId) continue
        for (const { hour, figures } of hours) {
          if (hour >= sinceHour) sums.set(hour, sum(sums.get(hour), figures))
        }
      }
      const hours = [...sums].sort(([one], [other]) => one - other)
      return hours.map(([hour, figures]) => ({ hourMs: hour * hourMs, ...figures }))
    })
  }

  /** Reads the stored dead letters of these bots, and appends the unflushed ones. */
  deadLetters(
    { botIds, sinceHour }: { botIds: readonly BotId[]; sinceHour: number },
    read: () => Promise<readonly DeadLetterCount[]>,
  ): Promise<DeadLetterCount[]> {
    return this.#flushes.read(read, (stored) => {
      const unflushed = botIds
        .flatMap((botId) => [...(this.#noted.get(botId)?.values() ?? [])].flat())
        .filter(({ hour, figures }) => hour >= sinceHour && figures.dead > 0)
        .map(({ botId, flowId, figures: { dead } }) => ({ botId, flowId, dead }))
      return [...stored, ...unflushed]
    })
  }

  discard(botId: BotId): void {
    this.#noted.delete(botId)
  }

  #figures(botId: BotId, flowId: FlowId, hour: number): Figures {
    let flows = this.#noted.get(botId)
    if (flows === undefined) {
      flows = new Map()
      this.#noted.set(botId, flows)
    }
    let hours = flows.get(flowId)
    if (hours === undefined) {
      hours = []
      flows.set(flowId, hours)
    }
    // The current hour is the last entry unless the clock was set back.
    const last = hours.at(-1)
    const noted = last?.hour === hour ? last : hours.find((each) => each.hour === hour)
    if (noted !== undefined) return noted.figures
    const figures = { accepted: 0, delivered: 0, failed: 0, dead: 0 }
    hours.push({ botId, flowId, hour, figures })
    return figures
  }
}

export function hourOf(atMs: number): number {
  return Math.floor(atMs / hourMs)
}

function sum(one: Figures | undefined, other: Figures): Figures {
  if (one === undefined) return { ...other }
  return {
    accepted: one.accepted + other.accepted,
    delivered: one.delivered + other.delivered,
    failed: one.failed + other.failed,
    dead: one.dead + other.dead,
  }
}

/** The queue metrics that are counted from the start of the process. */
export type CountedFigures = Omit<
  QueueFigures,
  'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'oldestAcceptedAtMs'
>

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

export interface Amount {
  events: number
  bytes: number
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
 * @param largest the amounts of up to {@link holdersAtOnce} holders, in descending order.
 * @returns how much each of the first holders loses. The rest lose nothing.
 */
export function lossesOf(largest: readonly number[], excess: number): number[] {
  // Holders that are not among the largest may have almost as much as the last one.
  const least = largest.length < holdersAtOnce ? 0 : 0.9 * (largest.at(-1) ?? 0)
  const level = levelAfter(largest, excess, least)
  return largest.filter((amount) => amount > level).map((amount) => amount - level)
}
