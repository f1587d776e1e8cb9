import { Connection, type ConnectionEnd } from './connection.ts'
import type { EventsInFlight } from './events-in-flight.ts'
import type { BotReportSource, RefusedBot, RuntimeFrame, ServiceFrame } from './frames.ts'
import type { RuntimeLog } from './runtime-log.ts'
import { checkedReport, problemOf, type ReportedBot } from './values.ts'

export interface SessionParts {
  address: URL
  key: string
  instance: string
  agent: string
  bots: readonly string[] | undefined
  /** Maximum number of deliveries in flight; 0 if the runtime is leaving. */
  credit: number
  work: EventsInFlight
  log: RuntimeLog
  report: BotReportSource
  onHosting: (bots: readonly string[], refused: readonly RefusedBot[]) => void
  onHeartbeat: () => void
  /** Called when all outcomes have been handed to the connection. */
  onFlushed: () => void
  onProblem: (problem: Error) => void
  onEnd: (end: SessionEnd) => void
}

export interface SessionEnd extends ConnectionEnd {
  /** Whether the service has answered a heartbeat, which proves that the connection worked. */
  proven: boolean
  /** Whether the service has asked the runtime to move to a new connection. */
  drained: boolean
}

/** Close code for a protocol error. */
const protocolError = 4002
/**
 * Number of heartbeat intervals without a frame after which the connection counts as dead. The service uses the same
 * limit, and then keeps leases for 10 s.
 */
const silentIntervalsMax = 2.5
/** Maximum number of bots in a heartbeat. A bot's report takes less than 200 bytes, so they fit into a 2 MiB frame. */
const botsPerHeartbeat = 5_000
/** Logs are held back while more than this many bytes are unsent. */
const unsentMaxBytes = 1_048_576
/** The connection is closed this long before a drain ends, so that the last outcomes still arrive. */
const drainMarginMs = 250

/** One connection to the service: hello, ready, welcome, then deliveries and heartbeats until it ends. */
export class Session {
  readonly #parts: SessionParts
  readonly #connection: Connection
  readonly #bots = new Set<string>()
  #refused: readonly RefusedBot[] = []
  #beating: ReturnType<typeof setInterval> | undefined
  #drainDeadline: ReturnType<typeof setTimeout> | undefined
  #welcomed = false
  #accepting: boolean
  #drained = false
  #proven = false
  #flushing = false
  #left = false
  #lastError = ''

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#accepting = parts.credit > 0
    this.#connection = new Connection({
      address: parts.address,
      key: parts.key,
      onFrame: (frame) => {
        try {
          this.#receive(frame)
        } catch (error) {
          parts.onProblem(new Error(`frame "${frame.type}" ignored: it is invalid`, { cause: error }))
        }
      },
      onEnd: (end) => {
        clearInterval(this.#beating)
        clearTimeout(this.#drainDeadline)
        this.#welcomed = false
        // The service names the error in a frame, and only its kind when it closes.
        const reason = end.code === protocolError ? this.#lastError || end.reason : end.reason
        parts.onEnd({ ...end, reason, proven: this.#proven, drained: this.#drained })
      },
    })
  }

  /** Schedules a flush of outcomes and logs in a microtask. Further calls until then have no effect. */
  flushSoon(): void {
    if (!this.#welcomed || this.#flushing) return
    this.#flushing = true
    queueMicrotask(() => this.#flush())
  }

  stopAccepting(): void {
    this.#accepting = false
    if (this.#welcomed) this.#connection.send({ type: 'credit', n: 0 })
  }

  /** Sends `bye`. Deliveries without an outcome then return to the service, and their attempts are not counted. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    if (this.#welcomed) {
      this.#sendLogs(Number.POSITIVE_INFINITY)
      this.#connection.send({ type: 'bye' })
    }
    this.#connection.close()
  }

  #receive(frame: ServiceFrame): void {
    const { work, onProblem } = this.#parts
    switch (frame.type) {
      case 'hello':
        if (!(frame.heartbeatMs > 0)) throw new TypeError('heartbeatMs must be a positive number')
        this.#connection.limitSilence(silentIntervalsMax * frame.heartbeatMs)
        this.#beating = setInterval(() => this.#beat(), frame.heartbeatMs)
        this.#connection.send(this.#ready())
        return
      case 'welcome':
        this.#welcome(frame.bots, frame.refused, frame.lost)
        return
      case 'bots':
        for (const botId of frame.remove) this.#bots.delete(botId)
        for (const botId of frame.add) this.#bots.add(botId)
        this.#refused = this.#refused.filter(({ botId }) => !this.#bots.has(botId))
        this.#parts.onHosting([...this.#bots], this.#refused)
        this.#beat()
        return
      case 'dispatch':
        // Ignores a delivery that was in flight when we stopped accepting. `bye` returns it without counting the
        // attempt.
        if (this.#accepting) work.take(frame)
        return
      case 'heartbeat':
        this.#proven = true
        work.lose(frame.lost)
        this.#parts.onHeartbeat()
        return
      case 'drain':
        if (!Number.isFinite(frame.inMs)) throw new TypeError('inMs must be a number')
        this.#drainDeadline = setTimeout(() => this.#connection.close(), frame.inMs - drainMarginMs)
        this.#drained = true
        this.#closeWhenDrained()
        return
      case 'error':
        this.#lastError = frame.message
        onProblem(new Error(`service error "${frame.code}": ${frame.message}`))
    }
  }

  #ready(): RuntimeFrame {
    const { instance, agent, credit, bots, work } = this.#parts
    return { type: 'ready', instance, agent, credit, ...(bots && { bots }), working: work.deliveries }
  }

  #welcome(bots: readonly string[], refused: readonly RefusedBot[], lost: readonly string[]): void {
    const { work, onHosting } = this.#parts
    work.lose(lost)
    for (const botId of bots) this.#bots.add(botId)
    this.#refused = refused
    this.#welcomed = true
    if (!this.#accepting) this.stopAccepting()
    this.#flush()
    this.#beat()
    onHosting([...this.#bots], refused)
  }

  #beat(): void {
    if (!this.#welcomed) return
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
      const report = checkedReport(botId, this.#parts.report(botId))
      return report === undefined ? [] : [report]
    } catch (error) {
      this.#parts.onProblem(problemOf(`heartbeat of bot ${botId} failed`, error))
      return []
    }
  }

  #flush(): void {
    this.#flushing = false
    // While a connection closes, nothing is sent any more: the outcomes wait for the next one.
    if (!this.#welcomed || !this.#connection.isOpen) return
    const { work, onFlushed } = this.#parts
    for (const answer of work.takeAnswers()) this.#connection.send(answer)
    this.#sendLogs(unsentMaxBytes)
    onFlushed()
    this.#closeWhenDrained()
  }

  #sendLogs(unsentMax: number): void {
    const { log, onProblem } = this.#parts
    while (this.#connection.isOpen && this.#connection.unsentBytes < unsentMax) {
      const entries = log.take()
      if (entries === undefined) break
      this.#connection.send({ type: 'log', entries })
    }
    const dropped = log.takeDropped()
    if (dropped > 0) onProblem(new Error(`${dropped} log entries dropped: log buffer full`))
  }

  #closeWhenDrained(): void {
    if (this.#drained && this.#parts.work.empty) this.#connection.close()
  }
}
