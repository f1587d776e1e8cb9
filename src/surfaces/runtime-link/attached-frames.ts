import type { Bots } from '../../domain/bots/bots.ts'
import type { OpenConnection } from '../../domain/bots/runtimes/runtime-connections.ts'
import type { RuntimeLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { Clock } from '../../domain/clock.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import { isoTimeMs } from '../../domain/iso-time.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Attachment, ReportOutcome } from '../../domain/webhooks/attachment.ts'
import type { DeliveryTracing } from '../../domain/webhooks/delivery-queue.ts'
import type { RuntimeConnection } from './connection.ts'
import { heartbeatFrame, type RuntimeFrame } from './frames.ts'

export type FrameOf<Name extends RuntimeFrame['type']> = Extract<RuntimeFrame, { type: Name }>

/** Valid only after `ready`. */
export type AttachedFrame = Exclude<RuntimeFrame, { type: 'ready' | 'bye' }>

interface AttachedFramesParts {
  attachment: Attachment
  connection: OpenConnection
  bots: Pick<Bots, 'logs' | 'heartbeats' | 'runtimes'>
  clock: Clock
  tracing?: DeliveryTracing | undefined
  logAllowance: LogAllowance
  intake: FrameIntake
  keyNumber: number
  send: (frame: object) => void
  onMalformed: (message: string) => void
  onFault: (error: unknown, what: string) => void
  onReported: (deliveries: number) => void
}

export function attachedFrames(parts: AttachedFramesParts): (frame: AttachedFrame) => void {
  const { attachment, bots, clock, tracing, intake } = parts
  const hosted = (text: string): BotId | undefined => {
    const botId = text as BotId
    return attachment.hosts(botId) ? botId : undefined
  }

  function reported({ deliveries, settled }: ReportOutcome, error: string | undefined): void {
    if (deliveries.length === 0) return
    if (tracing) for (const delivery of deliveries) tracing.ended(delivery, error)
    intake.storing(deliveries.length, settled)
    parts.onReported(deliveries.length)
  }

  function heartbeat({ bots: sent, working }: FrameOf<'heartbeat'>): void {
    const reports = sent.flatMap(({ botId: text, ready, presence = null, uptimeMs, guildCount, shardCount }) => {
      const botId = hosted(text)
      const counts = { uptimeMs: whole(uptimeMs), guildCount: whole(guildCount), shardCount: whole(shardCount) }
      return botId === undefined ? [] : { botId, ready, presence, ...counts }
    })
    if (reports.length > 0) bots.heartbeats.record(reports)
    bots.runtimes.noteUse(parts.keyNumber)
    parts.connection.heard()
    intake.beginStep()
    const answered = attachment.renew(working).then(
      (lost) => parts.send(heartbeatFrame(clock.nowMs(), lost)),
      (error) => parts.onFault(error, 'lease renewal failed'),
    )
    answered.then(() => intake.endStep())
  }

  function appendLogs({ entries }: FrameOf<'log'>): void {
    const ofHosted = []
    for (const { botId: text, level, message, at } of entries) {
      const atMs = isoTimeMs(at)
      if (Number.isNaN(atMs)) {
        parts.onMalformed(`log: "at" is ISO 8601, such as 2026-01-05T12:00:00.000Z`)
        return
      }
      const botId = hosted(text)
      if (botId !== undefined) ofHosted.push({ botId, level, message, atMs })
    }
    const allowed = parts.logAllowance.of(ofHosted, clock.nowMs())
    if (allowed.length === 0) return
    const stored = bots.logs.append(allowed).catch((error) => parts.onFault(error, 'runtime log write failed'))
    intake.storing(allowed.length, stored)
  }

  return (frame) => {
    switch (frame.type) {
      case 'ack':
        return reported(attachment.acknowledge(frame.deliveries), undefined)
      case 'nack':
        return reported(attachment.fail(frame), frame.error ?? 'the runtime reported a failure')
      case 'credit':
        return attachment.setWindow(Math.min(frame.n, limits.runtimeMaxCredit))
      case 'heartbeat':
        return heartbeat(frame)
      case 'log':
        return appendLogs(frame)
    }
  }
}

/** Runtimes may send fractional numbers. Stored values are integers. */
function whole(number: number | null | undefined): number | null {
  return typeof number === 'number' ? Math.floor(number) : null
}

/**
 * Handles frames in order. Holds them back during an asynchronous step, while too many entries are being stored, and while
 * the connection says so.
 */
export class FrameIntake {
  readonly #handle: (text: string) => void
  readonly #connection: Pick<RuntimeConnection, 'isHeldBack' | 'updateReading'>
  /** Only a few, because the connection isn't read in the meantime. */
  #held: string[] = []
  #steps = 0
  /** Reports and log entries currently being stored. */
  #unstored = 0

  constructor(handle: (text: string) => void, connection: Pick<RuntimeConnection, 'isHeldBack' | 'updateReading'>) {
    this.#handle = handle
    this.#connection = connection
  }

  get isOpen(): boolean {
    return !this.#isBusy && this.#held.length === 0
  }

  take(text: string): void {
    if (this.isOpen) this.#handle(text)
    else this.#held.push(text)
  }

  beginStep(): void {
    this.#steps += 1
  }

  endStep(): void {
    this.#steps -= 1
    this.takeHeld()
  }

  /** @param work must not reject. */
  storing(entries: number, work: Promise<void>): void {
    this.#unstored += entries
    work.then(() => {
      this.#unstored -= entries
      this.takeHeld()
    })
  }

  /** Even if something is in progress. */
  takeAll(): void {
    for (const text of this.#held.splice(0)) this.#handle(text)
  }

  clear(): void {
    this.#held = []
  }

  get #isBusy(): boolean {
    return this.#steps > 0 || this.#unstored >= limits.runtimeUnstoredMax || this.#connection.isHeldBack()
  }

  /** Call it every second, too. */
  takeHeld(): void {
    for (let text = this.#held[0]; text !== undefined && !this.#isBusy; text = this.#held[0]) {
      this.#held.shift()
      this.#handle(text)
    }
    this.#connection.updateReading()
  }
}

const minuteMs = 60_000
/** Only this many entries are kept per bot, so accepting more in one minute would be pointless. */
const perBotAndMinute = limits.logEntriesKeptPerBot

/** Per bot and minute, across all connections. */
export class LogAllowance {
  #minute = 0
  readonly #written = new Map<BotId, number>()

  /** Replaces the first entry beyond the limit with a warning. */
  of(entries: readonly RuntimeLogEntry[], nowMs: number): RuntimeLogEntry[] {
    const minute = Math.floor(nowMs / minuteMs)
    if (minute !== this.#minute) this.#written.clear()
    this.#minute = minute
    return entries.flatMap((entry) => {
      const written = (this.#written.get(entry.botId) ?? 0) + 1
      this.#written.set(entry.botId, written)
      if (written < perBotAndMinute) return entry
      return written === perBotAndMinute ? tooMany(entry.botId, nowMs) : []
    })
  }
}

function tooMany(botId: BotId, atMs: number): RuntimeLogEntry {
  const message = `More than ${perBotAndMinute - 1} entries in one minute; the rest is omitted.`
  return { botId, atMs, level: 'warn', message }
}
