import type { BotId, FlowId } from '../../domain/ids.ts'
import { hourlyCountsRetentionMs } from '../../domain/limits.ts'
import type { HourlyCount } from '../../domain/webhooks/event-log.ts'
import type { SqliteFile } from '../../store/sqlite/sqlite-file.ts'

type Figure = Exclude<keyof HourlyCount, 'hourMs'>
type Figures = Record<Figure, number>

interface Noted {
  botId: BotId
  flowId: FlowId
  hour: number
  figures: Figures
}

const hourMs = 3_600_000
const rowsAtOnce = 500

/**
 * What happened in each hour, per flow. It is noted in memory, so that taking a webhook writes nothing for it, and stored
 * now and then. A crash loses what was noted since; the events themselves are all there.
 */
export class HourlyCounts {
  readonly #file: SqliteFile
  #noted = new Map<BotId, Map<FlowId, Noted[]>>()

  constructor(file: SqliteFile) {
    this.#file = file
  }

  note(figure: Figure, { botId, flowId }: { botId: BotId; flowId: FlowId }, atMs: number): void {
    this.#figures(botId, flowId, Math.floor(atMs / hourMs))[figure] += 1
  }

  /** Stores what was noted. What can't be stored stays noted. */
  async flush(): Promise<void> {
    const noted = this.#all()
    this.#noted = new Map()
    while (noted.length > 0) {
      const batch = noted.slice(0, rowsAtOnce)
      try {
        await this.#file.write(() => {
          for (const each of batch) this.#add(each)
        })
      } catch (error) {
        for (const each of noted) this.#noteAgain(each)
        throw error
      }
      noted.splice(0, batch.length)
    }
  }

  /** Of one flow, or of all: the hours in which something happened, oldest first. */
  read(botId: BotId, flowId: FlowId | undefined, sinceMs: number): HourlyCount[] {
    const since = Math.floor(sinceMs / hourMs)
    const stored: unknown[] = this.#file
      .statement(
        `SELECT hour, sum(accepted) AS accepted, sum(delivered) AS delivered, sum(failed) AS failed, sum(dead) AS dead
         FROM hourly_counts WHERE bot_id = ?1 AND (?2 IS NULL OR flow_id = ?2) AND hour >= ?3 GROUP BY hour`,
      )
      .all(botId, flowId ?? null, since)
    const byHour = new Map((stored as (Figures & { hour: number })[]).map(({ hour, ...figures }) => [hour, figures]))
    for (const [notedFlow, hours] of this.#noted.get(botId) ?? []) {
      if (flowId !== undefined && notedFlow !== flowId) continue
      for (const { hour, figures } of hours) {
        if (hour >= since) byHour.set(hour, sum(byHour.get(hour), figures))
      }
    }
    const hours = [...byHour].sort(([one], [other]) => one - other)
    return hours.map(([hour, figures]) => ({ hourMs: hour * hourMs, ...figures }))
  }

  /** Removes what is past its retention, at most that many rows. */
  async prune(nowMs: number, most: number): Promise<void> {
    const before = Math.floor((nowMs - hourlyCountsRetentionMs) / hourMs)
    const old: unknown[] = this.#file
      .statement('SELECT bot_id, flow_id, hour FROM hourly_counts WHERE hour < ? LIMIT ?')
      .all(before, most)
    if (old.length === 0) return
    const remove = this.#file.statement('DELETE FROM hourly_counts WHERE bot_id = ? AND flow_id = ? AND hour = ?')
    await this.#file.write(() => {
      for (const { bot_id, flow_id, hour } of old as { bot_id: string; flow_id: string; hour: number }[]) {
        remove.run(bot_id, flow_id, hour)
      }
    })
  }

  /** Removes what is counted of a bot. */
  async discard(botId: BotId): Promise<void> {
    this.#noted.delete(botId)
    await this.#file.write(() => this.#file.statement('DELETE FROM hourly_counts WHERE bot_id = ?').run(botId))
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
    // The current hour is the last, unless the clock was set back.
    const last = hours.at(-1)
    const noted = last?.hour === hour ? last : hours.find((each) => each.hour === hour)
    if (noted !== undefined) return noted.figures
    const figures = { accepted: 0, delivered: 0, failed: 0, dead: 0 }
    hours.push({ botId, flowId, hour, figures })
    return figures
  }

  #all(): Noted[] {
    return [...this.#noted.values()].flatMap((flows) => [...flows.values()].flat())
  }

  #noteAgain({ botId, flowId, hour, figures }: Noted): void {
    Object.assign(this.#figures(botId, flowId, hour), sum(this.#figures(botId, flowId, hour), figures))
  }

  #add({ botId, flowId, hour, figures: { accepted, delivered, failed, dead } }: Noted): void {
    this.#file
      .statement(
        `INSERT INTO hourly_counts (bot_id, flow_id, hour, accepted, delivered, failed, dead)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, delivered = delivered + excluded.delivered,
           failed = failed + excluded.failed, dead = dead + excluded.dead`,
      )
      .run(botId, flowId, hour, accepted, delivered, failed, dead)
  }
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
