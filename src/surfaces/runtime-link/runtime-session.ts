import type { FastifyBaseLogger } from 'fastify'
import type { FaultBursts } from '../../domain/background-work.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { LiveRuntimeKey, Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { OpenConnection } from '../../domain/bots/runtimes/runtime-connections.ts'
import type { Clock } from '../../domain/clock.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Attachment, Receiver } from '../../domain/webhooks/attachment.ts'
import type { Delivery, DeliveryTracing } from '../../domain/webhooks/delivery-queue.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'
import { type AttachedFrame, attachedFrames, FrameIntake, type FrameOf, type LogAllowance } from './attached-frames.ts'
import { endOfAccess, endOfExpiredKey, Liveness, type RuntimeConnection, type SessionEnd } from './connection.ts'
import { closeCodes, dispatchFrame, drainReasons, readFrame, welcomeFrames } from './frames.ts'
import { HostedBots } from './hosted-bots.ts'

export interface LinkServices {
  bots: Pick<Bots, 'hostable' | 'logs' | 'heartbeats' | 'runtimes' | 'connections' | 'changes'>
  dispatcher: Dispatcher
  clock: Clock
  log: FastifyBaseLogger
  /** `undefined` if tracing is off. */
  tracing?: DeliveryTracing | undefined
}

interface SessionParts extends LinkServices {
  id: string
  runtime: Runtime
  key: LiveRuntimeKey
  wire: RuntimeConnection
  /** Returns how the session ends if this holder can't have one. */
  refuseReady: (holder: string) => SessionEnd | undefined
  logAllowance: LogAllowance
  /** Shared by all sessions, because an unreachable store affects all of them. */
  faultBursts: FaultBursts
}

/** From `welcome` until the session ends. */
interface Attached {
  attachment: Attachment
  handle: (frame: AttachedFrame) => void
  connection: OpenConnection
}

/**
 * The protocol in docs/runtime-protocol.md, without its transport. Frames are handled in order, and held back during
 * `ready` and heartbeats, and while too many reports are being stored.
 */
export class RuntimeSession implements Receiver {
  readonly runtime: Runtime
  holder = ''
  readonly #parts: SessionParts
  readonly #wire: RuntimeConnection
  readonly #log: FastifyBaseLogger
  readonly #intake: FrameIntake
  readonly #liveness: Liveness
  #key: LiveRuntimeKey
  #state: 'greeted' | 'attaching' | 'attached' | 'ended' = 'greeted'
  #hosted: HostedBots | undefined
  #attached: Attached | undefined
  /** `undefined` while the session doesn't drain. */
  #drainReason: string | undefined

  constructor(parts: SessionParts) {
    this.runtime = parts.runtime
    this.#parts = parts
    this.#wire = parts.wire
    this.#key = parts.key
    this.#log = parts.log.child({ session: parts.id, runtimeId: parts.runtime.id })
    this.#intake = new FrameIntake((text) => this.#take(text), this.#wire)
    this.#liveness = new Liveness(parts.clock.nowMs())
    this.#wire.send({
      type: 'hello',
      session: parts.id,
      heartbeatMs: limits.runtimeHeartbeatMs,
      leaseMs: limits.leaseMs,
      maxCredit: limits.runtimeMaxCredit,
    })
  }

  get phase(): 'greeted' | 'ready' | 'ended' {
    return this.#state === 'attaching' || this.#state === 'attached' ? 'ready' : this.#state
  }

  /** Otherwise, the connection isn't read. */
  get takesFrames(): boolean {
    // Frames that arrive now are dropped, but the peer's close frame still has to be read.
    if (this.#state === 'ended') return true
    return this.#intake.isOpen && this.#wire.unreadBytes() < limits.runtimeUnreadRepliesMaxBytes
  }

  receive(text: string): void {
    if (this.#state === 'ended') return
    if (this.#state !== 'greeted') this.#liveness.heard(this.#parts.clock.nowMs())
    this.#intake.take(text)
  }

  receiveBinary(): void {
    if (this.#state !== 'ended') this.#refuse('malformed', 'frames are text; this one is binary')
  }

  /** @param access `undefined` if the runtime was removed. */
  runtimeChanged(access: RuntimeAccess | undefined): void {
    this.#key = access?.keys.find(({ number }) => number === this.#key.number) ?? this.#key
    const end = endOfAccess(this.runtime, this.#key, access)
    if (end !== undefined) this.#close(end)
  }

  /** The connection was closed. Does nothing if the session closed it. */
  lost(): void {
    if (this.#state === 'ended') return
    // The held frames arrived before the connection was lost.
    if (this.#state === 'attached') this.#intake.takeAll()
    this.#end()
    this.#log.info('runtime connection lost')
  }

  drained(): void {
    this.#attached?.attachment.pump()
  }

  /** Ends the session if its key has expired, or if the client sends or reads nothing. Call it every second. */
  watch(nowMs: number): void {
    const expected = this.#state === 'greeted' ? '"ready"' : 'frame'
    const end = endOfExpiredKey(this.#key, nowMs) ?? this.#liveness.check(this.#wire.unreadBytes(), expected, nowMs)
    if (end !== undefined) this.#close(end)
    else this.#closeWhenDrained()
    this.#hosted?.refresh()
    this.#intake.takeHeld()
  }

  /** Stops delivering, and ends the session once all deliveries in flight are finished. */
  drain(inMs: number, reason: string): void {
    if (this.#state === 'ended' || this.#drainReason !== undefined) return
    this.#drainReason = reason
    this.#attached?.attachment.pause()
    this.#wire.send({ type: 'drain', inMs })
    this.#closeWhenDrained()
  }

  /** By default because the session drains. Deliveries may be in flight: a runtime reconnects and continues them. */
  cutShort(end?: SessionEnd): void {
    this.#close(end ?? { code: closeCodes.draining, reason: this.#drainReason ?? drainReasons.restarting })
  }

  assignmentChanged(botId: BotId): void {
    this.#hosted?.changed(botId)
  }

  deliver(delivery: Delivery): void {
    this.#wire.send(dispatchFrame(delivery, this.#parts.tracing?.dispatched(delivery)))
  }

  get isClosing(): boolean {
    return this.#wire.isClosing()
  }

  room(most: number): number {
    return this.#wire.writable() ? most : 0
  }

  evicted(): void {
    this.#close({ code: closeCodes.replaced, reason: 'replaced by a newer session of this instance' })
  }

  #take(text: string): void {
    try {
      this.#handle(text)
    } catch (error) {
      this.#fault(error, 'runtime frame failed')
      this.#close({ code: closeCodes.fault, reason: 'the service could not process a frame; try again' })
    }
  }

  #handle(text: string): void {
    // A previously held frame may have ended the session.
    if (this.#state === 'ended') return
    const reading = readFrame(text, this.#state === 'greeted')
    if (reading.kind === 'foreign') return
    if (reading.kind === 'malformed') {
      this.#refuse('malformed', reading.message)
      return
    }
    const { frame } = reading
    if (frame.type === 'ready') this.#ready(frame)
    else if (frame.type === 'bye') this.#leave()
    else if (this.#attached === undefined) this.#refuse('out-of-order', `send "ready" before "${frame.type}"`)
    else this.#attached.handle(frame)
  }

  #ready(frame: FrameOf<'ready'>): void {
    if (this.#state !== 'greeted') {
      this.#refuse('out-of-order', '"ready" was already sent; open a new connection to change it')
      return
    }
    const { runtime, bots, dispatcher, clock } = this.#parts
    // Instance names are scoped to a runtime, so a runtime can't evict another runtime's sessions.
    this.holder = `${runtime.id}/${frame.instance}`
    const refusal = this.#parts.refuseReady(this.holder)
    if (refusal !== undefined) {
      this.#close(refusal)
      return
    }
    this.#state = 'attaching'
    this.#intake.beginStep()
    this.#liveness.heard(clock.nowMs())
    this.#hosted = new HostedBots({
      runtime,
      wanted: frame.bots,
      bots,
      dispatcher,
      send: (frame) => this.#wire.send(frame),
      onFault: (error) => this.#fault(error, 'assignment update failed'),
    })
    this.#attach(frame).catch((error) => {
      this.#fault(error, 'runtime attach failed')
      this.#close({ code: closeCodes.fault, reason: 'the service could not attach the runtime; try again' })
    })
  }

  async #attach({ agent, instance, credit, bots: wanted, working = [] }: FrameOf<'ready'>): Promise<void> {
    const { runtime, bots: services, dispatcher } = this.#parts
    const { bots, refused } = await services.hostable(runtime, wanted)
    if (this.#state !== 'attaching') return
    const window = Math.min(credit, limits.runtimeMaxCredit)
    const { attachment, kept, lost } = await dispatcher.attach(this, { botIds: bots, window, working })
    // The connection may have been lost, or the session evicted, in the meantime.
    if (this.#state !== 'attaching') {
      dispatcher.lose(attachment)
      return
    }
    this.#state = 'attached'
    const connection = services.connections.open(runtime.id, { instance, agent })
    this.#attached = { attachment, connection, handle: this.#framesOf(attachment, connection) }
    for (const frame of welcomeFrames({ bots, refused, lost })) this.#wire.send(frame)
    this.#log.info({ instance, agent, bots: bots.length, refused: refused.length }, 'runtime ready')
    attachment.open(kept)
    if (this.#drainReason !== undefined) attachment.pause()
    this.#intake.endStep()
    this.#hosted?.attached(attachment)
    this.#closeWhenDrained()
  }

  #framesOf(attachment: Attachment, connection: OpenConnection): Attached['handle'] {
    return attachedFrames({
      ...this.#parts,
      attachment,
      connection,
      intake: this.#intake,
      keyNumber: this.#key.number,
      send: (frame) => this.#wire.send(frame),
      onMalformed: (message) => this.#refuse('malformed', message),
      onFault: (error, what) => this.#fault(error, what),
      onReported: (deliveries) => {
        this.#wire.finished(deliveries)
        this.#closeWhenDrained()
      },
    })
  }

  #leave(): void {
    const attachment = this.#detach()
    if (attachment !== undefined) {
      const { unhosted, released } = this.#parts.dispatcher.leave(attachment)
      this.#parts.bots.heartbeats.leave(unhosted, attachment.sinceMs)
      released.catch((error) => this.#fault(error, 'lease release failed, leases will expire'))
    }
    this.#log.info('runtime left')
    this.#wire.close(closeCodes.normal, 'bye')
  }

  #closeWhenDrained(): void {
    const inFlight = this.#attached?.attachment.inFlight ?? 0
    if (this.#drainReason !== undefined && inFlight === 0 && this.#state !== 'attaching') this.cutShort()
  }

  #fault(error: unknown, what: string): void {
    this.#parts.faultBursts.note(error, what, { session: this.#parts.id, runtimeId: this.runtime.id })
  }

  #refuse(code: 'malformed' | 'out-of-order', message: string): void {
    this.#log.warn({ code, fault: message }, 'runtime protocol error')
    this.#wire.send({ type: 'error', code, message })
    this.#close({ code: closeCodes.protocolError, reason: code })
  }

  #close({ code, reason }: SessionEnd): void {
    if (this.#state === 'ended') return
    this.#end()
    this.#log.info({ code, reason }, 'runtime session closed')
    this.#wire.close(code, reason)
    this.#wire.updateReading()
  }

  /** The leases remain valid for ten more seconds. */
  #end(): void {
    const attachment = this.#detach()
    if (attachment !== undefined) this.#parts.dispatcher.lose(attachment)
  }

  #detach(): Attachment | undefined {
    const attachment = this.#attached?.attachment
    this.#attached?.connection.ended()
    this.#state = 'ended'
    this.#intake.clear()
    this.#attached = undefined
    this.#hosted?.ended()
    return attachment
  }
}
