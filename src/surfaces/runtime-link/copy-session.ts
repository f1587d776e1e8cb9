import type { FastifyBaseLogger } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Hosting, LiveRuntimeKey, Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import type { FaultBursts } from '../../domain/fault-bursts.ts'
import type { BotId } from '../../domain/ids.ts'
import {
  copiedBotsMax,
  copyReadsPerSecond,
  refusalsReadEveryMs,
  runtimeMaxCredit,
  runtimeUnreadRepliesMaxBytes,
} from '../../domain/limits/limits.ts'
import { EventCopies, NewRefusals } from '../../domain/webhooks/event-copies.ts'
import type { EventLog } from '../../domain/webhooks/event-log.ts'
import type { RefusalLog } from '../../domain/webhooks/refusal-log.ts'
import type { AttachedFrame, FrameOf } from './attached-frames.ts'
import { closeCodes, drainReasons } from './contract.ts'
import {
  botsFrames,
  dispatchFrame,
  errorFrame,
  heartbeatFrame,
  helloFrame,
  readFrame,
  refusalFrame,
  welcomeFrames,
} from './frames.ts'
import {
  endOfAssignment,
  type LinkSession,
  Liveness,
  type RuntimeConnection,
  type SessionEnd,
  SessionKey,
} from './link-session.ts'

const noneHostable = 'this key may host none of the bots that "ready" names'

interface CopySessionParts {
  id: string
  runtime: Runtime
  /** The key that was used to open the connection. */
  key: LiveRuntimeKey
  wire: RuntimeConnection
  bots: Pick<Bots, 'hosting' | 'runtimes'>
  events: EventLog
  refusalLog: Pick<RefusalLog, 'latest'>
  clock: Clock
  log: FastifyBaseLogger
  faultBursts: FaultBursts
}

/**
 * A session that receives copies of its bots' new events, and their refused webhooks, for a developer's terminal. It
 * uses the frames of a runtime's session but hosts no bots: acks and nacks only return credit, and bot reports and logs
 * are ignored.
 */
export class CopySession implements LinkSession {
  readonly #parts: CopySessionParts
  readonly #copies: EventCopies
  readonly #refusals: NewRefusals
  readonly #key: SessionKey
  readonly #liveness: Liveness
  #state: 'greeted' | 'attaching' | 'attached' | 'ended' = 'greeted'
  #wanted: readonly string[] = []
  #window = 0
  readonly #inFlight = new Set<string>()
  /** Bots that may have new events. */
  readonly #due = new Set<BotId>()
  #reading = false
  /** Number of reads still allowed this second. `watch` resets it. */
  #readsLeft = copyReadsPerSecond
  #refusalsReadAtMs: number
  #readingRefusals = false
  /** Assignments are read one at a time, so that an older result never replaces a newer one. */
  #assigning: Promise<void> = Promise.resolve()

  constructor(parts: CopySessionParts) {
    this.#parts = parts
    this.#key = new SessionKey(parts.key)
    this.#liveness = new Liveness(parts.clock.nowMs())
    this.#copies = new EventCopies(parts.events)
    this.#refusals = new NewRefusals(parts.refusalLog)
    this.#refusalsReadAtMs = parts.clock.nowMs()
    parts.wire.send(helloFrame(parts.id))
  }

  get runtime(): Runtime {
    return this.#parts.runtime
  }

  get takesFrames(): boolean {
    return this.#state === 'ended' || this.#parts.wire.unreadBytes() < runtimeUnreadRepliesMaxBytes
  }

  receive(text: string): void {
    if (this.#state === 'ended') return
    if (this.#state !== 'greeted') this.#liveness.heard(this.#parts.clock.nowMs())
    const reading = readFrame(text, this.#state === 'greeted')
    if (reading.kind === 'malformed') this.#refuse('malformed', reading.message)
    if (reading.kind !== 'frame') return
    const { frame } = reading
    if (frame.type === 'ready') this.#ready(frame)
    else if (frame.type === 'bye') this.#close(closeCodes.normal, 'bye')
    else if (this.#state === 'greeted') this.#refuse('out-of-order', `send "ready" before "${frame.type}"`)
    else this.#handle(frame)
  }

  receiveBinary(): void {
    if (this.#state !== 'ended') this.#refuse('malformed', 'frames are text; this one is binary')
  }

  runtimeChanged(access: RuntimeAccess | undefined): void {
    const end = this.#key.update(access?.keys ?? []) ?? endOfAssignment(this.#parts.runtime, access)
    if (end !== undefined) this.#close(end.code, end.reason)
  }

  assignmentChanged(botId: BotId): void {
    if (this.#state === 'greeted' || !this.#wanted.includes(botId)) return
    this.#assign(({ add, remove }) => (add.length + remove.length === 0 ? [] : botsFrames({ add, remove })))
  }

  /** Called when the bot may have a new event. */
  wake(botId: BotId): void {
    if (!this.#wanted.includes(botId)) return
    this.#due.add(botId)
    this.#readSoon()
  }

  lost(): void {
    this.#state = 'ended'
  }

  drained(): void {
    this.#readSoon()
  }

  watch(nowMs: number): void {
    const expected = this.#state === 'greeted' ? '"ready"' : 'frame'
    const end = this.#key.check(nowMs) ?? this.#liveness.check(this.#parts.wire.unreadBytes(), expected, nowMs)
    if (end !== undefined) this.#close(end.code, end.reason)
    this.#readsLeft = copyReadsPerSecond
    // The broadcast of an event that another node accepted may have been lost.
    for (const botId of this.#copies.botIds) this.#due.add(botId)
    this.#readSoon()
    if (nowMs - this.#refusalsReadAtMs >= refusalsReadEveryMs) this.#readRefusals(nowMs)
  }

  /** Closes immediately, because copies in flight need no outcome. */
  drain(_inMs: number, reason: string): void {
    this.#close(closeCodes.draining, reason)
  }

  cutShort({ code, reason }: SessionEnd = { code: closeCodes.draining, reason: drainReasons.restarting }): void {
    this.#close(code, reason)
  }

  #ready({ instance, agent, bots: wanted = [], credit }: FrameOf<'ready'>): void {
    if (this.#state !== 'greeted') {
      this.#refuse('out-of-order', '"ready" was already sent; open a new connection to change it')
      return
    }
    if (wanted.length < 1 || wanted.length > copiedBotsMax) {
      this.#refuse('malformed', `ready/bots: name 1 to ${copiedBotsMax} bots to receive copies of their events`)
      return
    }
    this.#state = 'attaching'
    this.#liveness.heard(this.#parts.clock.nowMs())
    this.#wanted = wanted
    this.#window = Math.min(credit, runtimeMaxCredit)
    this.#assign(({ bots, refused }) => {
      this.#state = 'attached'
      this.#parts.log.info({ session: this.#parts.id, instance, agent, bots: bots.length }, 'copy session ready')
      return welcomeFrames({ bots, refused, lost: [] })
    })
  }

  #handle(frame: AttachedFrame): void {
    switch (frame.type) {
      case 'ack':
        for (const delivery of frame.deliveries) this.#inFlight.delete(delivery)
        break
      case 'nack':
        this.#inFlight.delete(frame.delivery)
        break
      case 'credit':
        this.#window = Math.min(frame.n, runtimeMaxCredit)
        break
      case 'heartbeat':
        this.#parts.bots.runtimes.noteUse(this.#key.number)
        this.#parts.wire.send(heartbeatFrame(this.#parts.clock.nowMs(), []))
        break
      case 'log':
        break
    }
    this.#readSoon()
  }

  /**
   * Reads which bots the runtime may host, sends the frames that `framesOf` returns, and starts copying their events.
   */
  #assign(framesOf: (assigned: Hosting & { add: BotId[]; remove: BotId[] }) => string[]): void {
    const assigned = this.#assigning.then(async () => {
      const hosting = await this.#parts.bots.hosting.hostable(this.#parts.runtime, this.#wanted)
      const before = this.#copies.botIds
      const add = hosting.bots.filter((botId) => !before.includes(botId))
      const remove = before.filter((botId) => !hosting.bots.includes(botId))
      for (const botId of add) {
        this.#refusals.add(botId, this.#parts.clock.nowMs())
        await this.#copies.add(botId)
      }
      for (const botId of remove) {
        this.#copies.remove(botId)
        this.#refusals.remove(botId)
      }
      if (this.#state === 'ended') return
      for (const frame of framesOf({ ...hosting, add, remove })) this.#parts.wire.send(frame)
      if (isPointless(hosting)) this.#close(closeCodes.keyRefused, noneHostable)
    })
    this.#assigning = assigned.catch((error) => this.#fault(error, 'copy assignment update failed'))
  }

  #room(): number {
    if (this.#state !== 'attached' || !this.#parts.wire.writable()) return 0
    return this.#window - this.#inFlight.size
  }

  #readSoon(): void {
    if (this.#reading || this.#due.size === 0 || this.#readsLeft <= 0 || this.#room() <= 0) return
    this.#reading = true
    this.#readsLeft -= 1
    this.#readDue()
      .catch((error) => this.#fault(error, 'reading events for copies failed'))
      .finally(() => {
        this.#reading = false
        this.#readSoon()
      })
  }

  async #readDue(): Promise<void> {
    const due = [...this.#due]
    this.#due.clear()
    for (const botId of due) {
      const room = this.#room()
      const more =
        room <= 0 ||
        (await this.#copies.read(botId, room, (copy) => {
          if (this.#state !== 'attached') return
          this.#inFlight.add(copy.delivery)
          this.#parts.wire.send(dispatchFrame(copy, undefined))
        }))
      if (more) this.#due.add(botId)
    }
  }

  #readRefusals(nowMs: number): void {
    if (this.#readingRefusals) return
    this.#readingRefusals = true
    this.#refusalsReadAtMs = nowMs
    this.#sendRefusals()
      .catch((error) => this.#fault(error, 'reading refused webhooks for copies failed'))
      .finally(() => {
        this.#readingRefusals = false
      })
  }

  async #sendRefusals(): Promise<void> {
    for (const botId of this.#copies.botIds) {
      const refused = await this.#refusals.read(botId)
      if (this.#state !== 'attached' || !this.#parts.wire.writable()) return
      for (const each of refused) this.#parts.wire.send(refusalFrame(botId, each))
    }
  }

  #fault(error: unknown, what: string): void {
    this.#parts.faultBursts.note(what, (unlogged) => this.#parts.log.error({ err: error, unlogged }, what))
    this.#close(closeCodes.fault, 'the service could not read the events; try again')
  }

  #refuse(code: 'malformed' | 'out-of-order', message: string): void {
    this.#parts.wire.send(errorFrame(code, message))
    this.#close(closeCodes.protocolError, code)
  }

  #close(code: number, reason: string): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#parts.log.info({ session: this.#parts.id, code, reason }, 'copy session closed')
    this.#parts.wire.close(code, reason)
    this.#parts.wire.updateReading()
  }
}

/** Returns whether no bot can have events for this session, now or after its hosting is turned on. */
function isPointless({ bots, refused }: Hosting): boolean {
  return bots.length === 0 && refused.every(({ reason }) => reason !== 'hosting_off')
}
