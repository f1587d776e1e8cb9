import type { FastifyBaseLogger } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { LiveRuntimeKey, Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import type { FaultBursts } from '../../domain/fault-bursts.ts'
import type { BotId, RuntimeId } from '../../domain/ids.ts'
import {
  runtimeMaxCredit,
  runtimeSilenceMs,
  runtimeStuckMs,
  runtimeUnreadAnswersMaxBytes,
  runtimeUnstoredMax,
} from '../../domain/limits/limits.ts'
import type { Answered, Attachment, Receiver } from '../../domain/webhooks/attachment.ts'
import type { Delivery } from '../../domain/webhooks/delivery-queue.ts'
import type { DeliveryTracing } from '../../domain/webhooks/delivery-tracing.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'
import { closeCodes, type RuntimeFrame, readFrame } from './contract.ts'
import { HostedBots } from './hosted-bots.ts'
import type { LinkSession, Wire } from './link-session.ts'
import type { LogAllowance } from './log-allowance.ts'
import {
  botsFrames,
  dispatchFrame,
  drainFrame,
  errorFrame,
  heartbeatFrame,
  helloFrame,
  welcomeFrames,
} from './service-frames.ts'

type FrameOf<Name extends RuntimeFrame['type']> = Extract<RuntimeFrame, { type: Name }>

export interface SessionParts {
  id: string
  runtime: Runtime
  /** The key that opened the connection. */
  key: LiveRuntimeKey
  wire: Wire
  bots: Pick<Bots, 'hosting' | 'logs' | 'heartbeats' | 'runtimes'>
  dispatcher: Dispatcher
  clock: Clock
  log: FastifyBaseLogger
  /** Undefined where no traces are collected. */
  tracing: DeliveryTracing | undefined
  logAllowance: LogAllowance
  /** Shared by all sessions, since an unreachable store fails for each of them. */
  faultBursts: FaultBursts
}

/**
 * A runtime's session: the protocol in section 6 of the contract, independent of the transport. Frames are handled in
 * order. They are held back while `ready` or a heartbeat is in progress, or while too many answers wait to be stored.
 */
export class RuntimeSession implements LinkSession, Receiver {
  readonly #runtime: Runtime
  #key: LiveRuntimeKey
  readonly #wire: Wire
  readonly #bots: Pick<Bots, 'hosting' | 'logs' | 'heartbeats' | 'runtimes'>
  readonly #dispatcher: Dispatcher
  readonly #clock: Clock
  readonly #log: FastifyBaseLogger
  readonly #tracing: DeliveryTracing | undefined
  readonly #logAllowance: LogAllowance
  readonly #faultBursts: FaultBursts
  #state: 'greeted' | 'attaching' | 'attached' | 'ended' = 'greeted'
  #holder = ''
  #hosted: HostedBots | undefined
  #attachment: Attachment | undefined
  /** Frames held back until earlier ones are done. Only a few: the connection isn't read meanwhile. */
  #held: string[] = []
  #renewing = false
  /** Number of answers and log entries that are being stored. */
  #unstored = 0
  #draining = false
  /** When the last frame came; until `ready` when the connection was opened. */
  #heardAtMs: number
  /** When the other side was last seen to read, or had nothing left to. */
  #readAtMs: number
  #unreadBytes = 0

  constructor(parts: SessionParts) {
    this.#runtime = parts.runtime
    this.#key = parts.key
    this.#wire = parts.wire
    this.#bots = parts.bots
    this.#dispatcher = parts.dispatcher
    this.#clock = parts.clock
    this.#log = parts.log.child({ session: parts.id, runtimeId: parts.runtime.id })
    this.#logAllowance = parts.logAllowance
    this.#faultBursts = parts.faultBursts
    this.#tracing = parts.tracing
    this.#heardAtMs = parts.clock.nowMs()
    this.#readAtMs = this.#heardAtMs
    this.#wire.send(helloFrame(parts.id))
  }

  get holder(): string {
    return this.#holder
  }

  get runtimeId(): RuntimeId {
    return this.#runtime.id
  }

  /** Whether it can take frames now; while not, the connection is not read. */
  get takesFrames(): boolean {
    // Frames after the end are dropped, but the peer's close frame has to be read.
    if (this.#state === 'ended') return true
    return !this.#busy && this.#held.length === 0 && this.#wire.unreadBytes() < runtimeUnreadAnswersMaxBytes
  }

  /** Takes one text frame. */
  receive(text: string): void {
    if (this.#state === 'attaching' || this.#state === 'attached') this.#heardAtMs = this.#clock.nowMs()
    if (this.#state === 'ended') return
    if (this.#busy || this.#held.length > 0) this.#held.push(text)
    else this.#take(text)
  }

  /** Takes a frame that is not text. */
  receiveBinary(): void {
    if (this.#state !== 'ended') this.#refuse('malformed', 'frames are text; this one is binary')
  }

  /** These are the keys by which the runtime may connect from now on; none when it was removed. */
  keysChanged(keys: readonly LiveRuntimeKey[]): void {
    const own = keys.find(({ number }) => number === this.#key.number)
    if (own !== undefined) this.#key = own
    else this.#close(closeCodes.keyRefused, keys.length === 0 ? 'the runtime was removed' : 'the key was ended')
  }

  /** The connection is gone, and nobody here ended it. */
  lost(): void {
    if (this.#state === 'ended') return
    // Frames that arrived before the connection was lost still count.
    if (this.#state === 'attached') for (const text of this.#held.splice(0)) this.#take(text)
    this.#end()
    this.#log.info('a runtime lost its connection')
  }

  /** The connection takes more again. */
  drained(): void {
    this.#attachment?.pump()
  }

  /** Ends the session when its key has ended, nothing was heard for too long, or nothing is read at the other end. */
  watch(nowMs: number): void {
    const { endsAtMs } = this.#key
    if (endsAtMs !== null && endsAtMs <= nowMs)
      this.#close(closeCodes.keyRefused, 'the key has ended; use the newer one')
    else if (nowMs - this.#heardAtMs >= runtimeSilenceMs) this.#close(closeCodes.silent, this.#silence())
    else if (this.#isStuck(nowMs)) this.#close(closeCodes.overloaded, 'nothing of what was sent is being read')
    else this.#closeWhenDrained()
  }

  /** Delivers nothing further, and ends once what is in flight is answered for. */
  drain(inMs: number): void {
    if (this.#state === 'ended' || this.#draining) return
    this.#draining = true
    this.#attachment?.pause()
    this.#wire.send(drainFrame(inMs))
    this.#closeWhenDrained()
  }

  /** Ends the session though work is in flight: the runtime reconnects and goes on with it. */
  cutShort(): void {
    this.#close(closeCodes.draining, 'the service is restarting')
  }

  /** Something about the bot changed: whether this runtime hosts it is judged anew. */
  assignmentChanged(botId: BotId): void {
    this.#hosted?.changed(botId)
  }

  deliver(delivery: Delivery): void {
    this.#wire.send(dispatchFrame(delivery, this.#tracing?.dispatched(delivery)))
  }

  writable(): boolean {
    return this.#wire.writable()
  }

  evicted(): void {
    this.#close(closeCodes.replaced, 'a newer session of this instance took over')
  }

  /** Whether the next frame has to be held back. */
  get #busy(): boolean {
    return this.#state === 'attaching' || this.#renewing || this.#unstored >= runtimeUnstoredMax
  }

  /** Handles held frames until one makes the session busy again, then resumes reading. */
  #takeHeld(): void {
    for (let text = this.#held[0]; text !== undefined && !this.#busy; text = this.#held[0]) {
      this.#held.shift()
      this.#take(text)
    }
    this.#wire.readOn()
  }

  #take(text: string): void {
    try {
      this.#handle(text)
    } catch (error) {
      this.#fault(error, 'runtime frame failed')
      this.#close(closeCodes.fault, 'the service could not process a frame; try again')
    }
  }

  #handle(text: string): void {
    // An earlier held frame ended the session.
    if (this.#state === 'ended') return
    const reading = readFrame(text)
    if (reading.kind === 'foreign') return
    if (reading.kind === 'malformed') {
      this.#refuse('malformed', reading.message)
      return
    }
    const { frame } = reading
    const attachment = this.#attachment
    if (frame.type === 'ready') this.#ready(frame)
    else if (frame.type === 'bye') this.#leave()
    else if (attachment === undefined) this.#refuse('out-of-order', `send "ready" before "${frame.type}"`)
    else this.#handleAttached(frame, attachment)
  }

  #handleAttached(frame: Exclude<RuntimeFrame, { type: 'ready' | 'bye' }>, attachment: Attachment): void {
    switch (frame.type) {
      case 'ack':
        this.#answered(attachment.acknowledge(frame.deliveries), undefined)
        return
      case 'nack':
        this.#answered(attachment.fail(frame), frame.error ?? 'the runtime could not do it')
        return
      case 'credit':
        attachment.setWindow(Math.min(frame.n, runtimeMaxCredit))
        return
      case 'heartbeat':
        this.#heartbeat(frame, attachment)
        return
      case 'log':
        this.#appendLogs(frame, attachment)
        return
    }
  }

  #answered({ deliveries, settled }: Answered, error: string | undefined): void {
    if (deliveries.length === 0) return
    if (this.#tracing) for (const delivery of deliveries) this.#tracing.ended(delivery, error)
    this.#storing(deliveries.length, settled)
    this.#closeWhenDrained()
  }

  /** Counts the entries as unstored until `work` resolves. @param work must not reject. */
  #storing(entries: number, work: Promise<void>): void {
    this.#unstored += entries
    work.then(() => {
      this.#unstored -= entries
      this.#takeHeld()
    })
  }

  #silence(): string {
    return this.#state === 'greeted' ? 'no "ready" within 75 seconds' : 'no frame within 75 seconds'
  }

  #isStuck(nowMs: number): boolean {
    const before = this.#unreadBytes
    this.#unreadBytes = this.#wire.unreadBytes()
    if (this.#unreadBytes === 0 || this.#unreadBytes < before) this.#readAtMs = nowMs
    return nowMs - this.#readAtMs >= runtimeStuckMs
  }

  #ready(frame: FrameOf<'ready'>): void {
    if (this.#state !== 'greeted') {
      this.#refuse('out-of-order', '"ready" was sent already; open a new connection to declare something else')
      return
    }
    this.#state = 'attaching'
    this.#heardAtMs = this.#clock.nowMs()
    this.#hosted = new HostedBots({
      runtime: this.#runtime,
      wanted: frame.bots,
      bots: this.#bots,
      dispatcher: this.#dispatcher,
      onChange: (change) => {
        for (const frame of botsFrames(change)) this.#wire.send(frame)
      },
      onFault: (error) => this.#fault(error, 'assignment update failed'),
    })
    // Instance names are per key: one key can never name another's session.
    this.#holder = `${this.#runtime.id}/${frame.instance}`
    this.#attach(frame).catch((error) => {
      this.#fault(error, 'runtime attach failed')
      this.#close(closeCodes.fault, 'the service could not take the session; try again')
    })
  }

  async #attach({ agent, instance, credit, bots: wanted, working = [] }: FrameOf<'ready'>): Promise<void> {
    const { bots, refused } = await this.#bots.hosting.hostable(this.#runtime, wanted)
    if (this.#state !== 'attaching') return
    const window = Math.min(credit, runtimeMaxCredit)
    const { attachment, kept, lost } = await this.#dispatcher.attach(this, { botIds: bots, window, working })
    // The connection may have gone, or been evicted, meanwhile.
    if (this.#state !== 'attaching') {
      this.#dispatcher.lose(attachment)
      return
    }
    this.#state = 'attached'
    this.#attachment = attachment
    for (const frame of welcomeFrames({ bots, refused, lost })) this.#wire.send(frame)
    this.#log.info({ instance, agent, bots: bots.length, refused: refused.length }, 'a runtime is ready')
    attachment.open(kept)
    if (this.#draining) attachment.pause()
    this.#takeHeld()
    this.#hosted?.attached(attachment)
    this.#closeWhenDrained()
  }

  #heartbeat({ bots, working }: FrameOf<'heartbeat'>, attachment: Attachment): void {
    const reports = bots.flatMap((bot) => {
      const botId = hostedBy(attachment, bot.botId)
      if (botId === undefined) return []
      const { ready, presence = null, uptimeMs = null, guildCount = null, shardCount = null } = bot
      return [
        {
          botId,
          ready,
          presence,
          uptimeMs: whole(uptimeMs),
          guildCount: whole(guildCount),
          shardCount: whole(shardCount),
        },
      ]
    })
    if (reports.length > 0) this.#bots.heartbeats.record(reports)
    this.#bots.runtimes.noteUse(this.#key.number)
    this.#renewing = true
    const answered = attachment.renew(working).then(
      (lost) => this.#wire.send(heartbeatFrame(this.#clock.nowMs(), lost)),
      (error) => this.#fault(error, 'lease renewal failed'),
    )
    answered.then(() => {
      this.#renewing = false
      this.#takeHeld()
    })
  }

  #appendLogs({ entries }: FrameOf<'log'>, attachment: Attachment): void {
    const hosted = []
    for (const { botId: text, level, message, at } of entries) {
      const atMs = Date.parse(at)
      if (Number.isNaN(atMs)) {
        this.#refuse('malformed', `log: "at" is ISO 8601, such as 2026-01-05T12:00:00.000Z`)
        return
      }
      const botId = hostedBy(attachment, text)
      if (botId !== undefined) hosted.push({ botId, level, message, atMs })
    }
    const allowed = this.#logAllowance.of(hosted, this.#clock.nowMs())
    if (allowed.length === 0) return
    const stored = this.#bots.logs.append(allowed).catch((error) => this.#fault(error, 'runtime log write failed'))
    this.#storing(allowed.length, stored)
  }

  #leave(): void {
    const attachment = this.#attachment
    this.#state = 'ended'
    this.#held = []
    this.#attachment = undefined
    this.#hosted?.ended()
    if (attachment !== undefined) {
      this.#dispatcher.leave(attachment).then(
        (unhosted) => this.#bots.heartbeats.leave(unhosted),
        (error) => this.#fault(error, 'lease release failed, leases will expire'),
      )
    }
    this.#log.info('a runtime said bye')
    this.#wire.close(closeCodes.normal, 'bye')
  }

  #closeWhenDrained(): void {
    if (this.#draining && (this.#attachment?.inFlight ?? 0) === 0 && this.#state !== 'attaching') this.cutShort()
  }

  #fault(error: unknown, what: string): void {
    this.#faultBursts.note(what, (unlogged) => this.#log.error({ err: error, unlogged }, what))
  }

  #refuse(code: 'malformed' | 'out-of-order', message: string): void {
    this.#log.warn({ code, fault: message }, 'a runtime broke the protocol')
    this.#wire.send(errorFrame(code, message))
    this.#close(closeCodes.protocolError, code)
  }

  #close(code: number, reason: string): void {
    if (this.#state === 'ended') return
    this.#end()
    this.#log.info({ code, reason }, 'a runtime session was ended')
    this.#wire.close(code, reason)
    this.#wire.readOn()
  }

  /** The leases stand for ten more seconds from here. */
  #end(): void {
    this.#state = 'ended'
    this.#held = []
    if (this.#attachment !== undefined) this.#dispatcher.lose(this.#attachment)
    this.#attachment = undefined
    this.#hosted?.ended()
  }
}

/** The id as that of a bot, when the session hosts it. */
function hostedBy(attachment: Attachment, text: string): BotId | undefined {
  const botId = text as BotId
  return attachment.hosts(botId) ? botId : undefined
}

/** Runtimes measure time in fractions of a millisecond too; what is kept is whole. */
function whole(number: number | null): number | null {
  return number === null ? null : Math.floor(number)
}
