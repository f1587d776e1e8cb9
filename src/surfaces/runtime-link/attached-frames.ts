import type { Bots } from '../../domain/bots/bots.ts'
import type { OpenConnection } from '../../domain/bots/runtimes/runtime-connections.ts'
import type { HeartbeatReport } from '../../domain/bots/status/snapshots.ts'
import type { Clock } from '../../domain/clock.ts'
import type { BotId } from '../../domain/ids.ts'
import { runtimeMaxCredit } from '../../domain/limits/limits.ts'
import type { Attachment, ReportOutcome } from '../../domain/webhooks/attachment.ts'
import type { DeliveryTracing } from '../../domain/webhooks/delivery-queue.ts'
import type { RuntimeFrame } from './contract.ts'
import type { FrameIntake } from './frame-intake.ts'
import type { LogAllowance } from './log-allowance.ts'
import { heartbeatFrame } from './service-frames.ts'

export type FrameOf<Name extends RuntimeFrame['type']> = Extract<RuntimeFrame, { type: Name }>

/** Frames that are valid only after `ready`, when the session is attached. */
export type AttachedFrame = Exclude<RuntimeFrame, { type: 'ready' | 'bye' }>

export interface AttachedFramesParts {
  attachment: Attachment
  connection: OpenConnection
  bots: Pick<Bots, 'logs' | 'heartbeats' | 'runtimes'>
  clock: Clock
  tracing: DeliveryTracing | undefined
  logAllowance: LogAllowance
  intake: FrameIntake
  /** Number of the key that was used to open the connection. */
  keyNumber: number
  send: (text: string) => void
  onMalformed: (message: string) => void
  onFault: (error: unknown, what: string) => void
  onReported: () => void
}

export class AttachedFrames {
  readonly #parts: AttachedFramesParts

  constructor(parts: AttachedFramesParts) {
    this.#parts = parts
  }

  handle(frame: AttachedFrame): void {
    const { attachment } = this.#parts
    switch (frame.type) {
      case 'ack':
        this.#reported(attachment.acknowledge(frame.deliveries), undefined)
        return
      case 'nack':
        this.#reported(attachment.fail(frame), frame.error ?? 'the runtime reported a failure')
        return
      case 'credit':
        attachment.setWindow(Math.min(frame.n, runtimeMaxCredit))
        return
      case 'heartbeat':
        this.#heartbeat(frame)
        return
      case 'log':
        this.#appendLogs(frame)
        return
    }
  }

  #reported({ deliveries, settled }: ReportOutcome, error: string | undefined): void {
    if (deliveries.length === 0) return
    const { tracing, intake, onReported } = this.#parts
    if (tracing) for (const delivery of deliveries) tracing.ended(delivery, error)
    intake.storing(deliveries.length, settled)
    onReported()
  }

  #heartbeat({ bots: reported, working }: FrameOf<'heartbeat'>): void {
    const { attachment, connection, bots, clock, intake, keyNumber, send, onFault } = this.#parts
    const reports = reported.flatMap((bot) => this.#reportOf(bot) ?? [])
    if (reports.length > 0) bots.heartbeats.record(reports)
    bots.runtimes.noteUse(keyNumber)
    connection.heard()
    intake.beginStep()
    const answered = attachment.renew(working).then(
      (lost) => send(heartbeatFrame(clock.nowMs(), lost)),
      (error) => onFault(error, 'lease renewal failed'),
    )
    answered.then(() => intake.endStep())
  }

  #reportOf(bot: FrameOf<'heartbeat'>['bots'][number]): HeartbeatReport | undefined {
    const botId = this.#hosted(bot.botId)
    if (botId === undefined) return undefined
    const { ready, presence = null, uptimeMs = null, guildCount = null, shardCount = null } = bot
    return {
      botId,
      ready,
      presence,
      uptimeMs: whole(uptimeMs),
      guildCount: whole(guildCount),
      shardCount: whole(shardCount),
    }
  }

  #appendLogs({ entries }: FrameOf<'log'>): void {
    const { bots, clock, intake, logAllowance, onFault, onMalformed } = this.#parts
    const hosted = []
    for (const { botId: text, level, message, at } of entries) {
      const atMs = Date.parse(at)
      if (Number.isNaN(atMs)) {
        onMalformed(`log: "at" is ISO 8601, such as 2026-01-05T12:00:00.000Z`)
        return
      }
      const botId = this.#hosted(text)
      if (botId !== undefined) hosted.push({ botId, level, message, atMs })
    }
    const allowed = logAllowance.of(hosted, clock.nowMs())
    if (allowed.length === 0) return
    const stored = bots.logs.append(allowed).catch((error) => onFault(error, 'runtime log write failed'))
    intake.storing(allowed.length, stored)
  }

  #hosted(text: string): BotId | undefined {
    const botId = text as BotId
    return this.#parts.attachment.hosts(botId) ? botId : undefined
  }
}

/** Runtimes may send fractional numbers, for example of milliseconds. Stored values are integers. */
function whole(number: number | null): number | null {
  return number === null ? null : Math.floor(number)
}
