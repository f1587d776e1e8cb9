import type { BotReportSource } from './bot-report.ts'
import { Connection, type ConnectionEnd } from './connection.ts'
import {
  copiesSubprotocol,
  type RefusedBot,
  type ReportedBot,
  type RuntimeFrame,
  type ServiceFrame,
  subprotocol,
} from './frames.ts'
import type { RuntimeLog } from './runtime-log.ts'
import type { WorkInHand } from './work-in-hand.ts'

export interface SessionParts {
  address: URL
  key: string
  instance: string
  agent: string
  bots: readonly string[] | undefined
  copies: boolean
  /** Deliveries taken at once; 0 for one that is leaving. */
  credit: number
  work: WorkInHand
  log: RuntimeLog
  report: BotReportSource
  onHosting: (bots: readonly string[], refused: readonly RefusedBot[]) => void
  onHeartbeat: () => void
  /** All answers were handed to the connection. */
  onFlushed: () => void
  onProblem: (problem: Error) => void
  onEnd: (end: SessionEnd) => void
}

export interface SessionEnd extends ConnectionEnd {
  /** Whether the service had answered a heartbeat: then it is there and well. */
  proven: boolean
  /** Whether the service had asked to be left. */
  drained: boolean
}

/** Heartbeats without any frame in return after which the service is taken for gone. */
const beatsOfSilence = 2.5
/** A report of a bot takes less than 200 bytes: so many stay below the 2 MiB of a frame. */
const botsPerHeartbeat = 5_000
/** Logs wait while this much is unsent. */
const unsentMaxBytes = 1_048_576
/** A drain is left this much before its time is up, so that what was answered still arrives. */
const drainMarginMs = 250

/** One connection's life: greeted, ready, welcomed, then deliveries and heartbeats until it ends. */
export class Session {
  readonly #parts: SessionParts
  readonly #connection: Connection
  readonly #bots = new Set<string>()
  #refused: readonly RefusedBot[] = []
  #heartbeatMs = 0
  #beating: ReturnType<typeof setInterval> | undefined
  #drainDeadline: ReturnType<typeof setTimeout> | undefined
  #welcomed = false
  #taking: boolean
  #drained = false
  #proven = false
  #flushing = false
  #left = false

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#taking = parts.credit > 0
    this.#connection = new Connection({
      address: parts.address,
      key: parts.key,
      subprotocol: parts.copies ? copiesSubprotocol : subprotocol,
      onFrame: (frame) => this.#take(frame),
      onEnd: (end) => {
        clearInterval(this.#beating)
        clearTimeout(this.#drainDeadline)
        this.#welcomed = false
        parts.onEnd({ ...end, proven: this.#proven, drained: this.#drained })
      },
    })
  }

  get welcomed(): boolean {
    return this.#welcomed
  }

  /** Sends answers and logs soon: those that come in one turn travel together. */
  flushSoon(): void {
    if (!this.#welcomed || this.#flushing) return
    this.#flushing = true
    queueMicrotask(() => this.#flush())
  }

  /** Nothing new is taken from here on. */
  stopTaking(): void {
    this.#taking = false
    if (this.#welcomed) this.#connection.send({ type: 'credit', n: 0 })
  }

  /** Says good-bye: what is unanswered goes back to the service without counting as an attempt. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    if (this.#welcomed) this.#connection.send({ type: 'bye' })
    this.#connection.close()
  }

  #take(frame: ServiceFrame): void {
    const { work, onProblem } = this.#parts
    switch (frame.type) {
      case 'hello':
        this.#heartbeatMs = frame.heartbeatMs
        this.#connection.send(this.#ready())
        return
      case 'welcome':
        this.#welcome(frame.bots, frame.refused, frame.lost)
        return
      case 'bots':
        for (const botId of frame.remove) this.#bots.delete(botId)
        for (const botId of frame.add) this.#bots.add(botId)
        this.#parts.onHosting([...this.#bots], this.#refused)
        this.#beat()
        return
      case 'dispatch':
        // One that was under way when we stopped: the good-bye gives it back untouched.
        if (this.#taking) work.take(frame)
        return
      case 'heartbeat':
        this.#proven = true
        work.lose(frame.lost)
        this.#parts.onHeartbeat()
        return
      case 'drain':
        this.#drained = true
        this.#drainDeadline = setTimeout(() => this.#connection.close(), Math.max(0, frame.inMs - drainMarginMs))
        this.#closeWhenDrained()
        return
      case 'error':
        onProblem(new Error(`the service reports "${frame.code}": ${frame.message}`))
    }
  }

  #ready(): RuntimeFrame {
    const { instance, agent, credit, bots, work } = this.#parts
    return { type: 'ready', instance, agent, credit, ...(bots && { bots }), working: work.deliveries }
  }

  #welcome(bots: readonly string[], refused: readonly RefusedBot[], lost: readonly string[]): void {
    const { work, onHosting } = this.#parts
    this.#welcomed = true
    work.lose(lost)
    for (const botId of bots) this.#bots.add(botId)
    this.#refused = refused
    if (!this.#taking) this.stopTaking()
    this.#flush()
    this.#beat()
    this.#beating = setInterval(() => this.#beat(), this.#heartbeatMs)
    onHosting([...this.#bots], refused)
  }

  #beat(): void {
    if (!this.#welcomed) return
    if (this.#connection.silentMs > beatsOfSilence * this.#heartbeatMs) {
      this.#connection.abandon('the service was silent')
      return
    }
    const bots = [...this.#bots].flatMap((botId) => this.#reportOf(botId))
    let working = this.#parts.work.deliveries
    do {
      this.#connection.send({ type: 'heartbeat', bots: bots.splice(0, botsPerHeartbeat), working })
      working = []
    } while (bots.length > 0)
    this.flushSoon()
  }

  #reportOf(botId: string): ReportedBot[] {
    try {
      const report = this.#parts.report(botId)
      if (report === undefined) return []
      const { ready, presence = null, uptimeMs = null, guildCount = null, shardCount = null } = report
      return [
        { botId, ready, presence, uptimeMs: uptimeMs === null ? null : Math.floor(uptimeMs), guildCount, shardCount },
      ]
    } catch (error) {
      this.#parts.onProblem(new Error(`the heartbeat of bot ${botId} could not be read`, { cause: error }))
      return []
    }
  }

  #flush(): void {
    this.#flushing = false
    if (!this.#welcomed) return
    const { work, log, onProblem, onFlushed } = this.#parts
    for (const answer of work.takeAnswers()) this.#connection.send(answer)
    while (this.#connection.unsentBytes < unsentMaxBytes) {
      const entries = log.take()
      if (entries === undefined) break
      this.#connection.send({ type: 'log', entries })
    }
    const dropped = log.takeDropped()
    if (dropped > 0) onProblem(new Error(`${dropped} log entries were dropped: more came than the service took`))
    onFlushed()
    this.#closeWhenDrained()
  }

  #closeWhenDrained(): void {
    if (this.#drained && this.#parts.work.empty) this.#connection.close()
  }
}
