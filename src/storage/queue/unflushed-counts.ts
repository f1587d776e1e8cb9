import { writeInBatches } from '../../domain/background-work.ts'
import { Flushes } from '../../domain/flushes.ts'
import type { BotId, FlowId } from '../../domain/ids.ts'
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
