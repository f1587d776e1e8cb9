import type { FastifyBaseLogger } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Hosting, LiveRuntimeKey, Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import type { FaultBursts } from '../../domain/fault-bursts.ts'
import type { BotId, RuntimeId } from '../../domain/ids.ts'
import { copiedBotsMax, copyLooksPerSecond, runtimeMaxCredit, runtimeSilenceMs } from '../../domain/limits/limits.ts'
import { EventCopies } from '../../domain/webhooks/event-copies.ts'
import type { EventLog } from '../../domain/webhooks/event-log.ts'
import { closeCodes, type RuntimeFrame, readFrame } from './contract.ts'
import type { LinkSession, Wire } from './link-session.ts'
import { botsFrames, dispatchFrame, errorFrame, heartbeatFrame, helloFrame, welcomeFrames } from './service-frames.ts'

type Ready = Extract<RuntimeFrame, { type: 'ready' }>

export interface CopySessionParts {
  id: string
  runtime: Runtime
  /** The key that opened the connection. */
  key: LiveRuntimeKey
  wire: Wire
  bots: Pick<Bots, 'hosting' | 'runtimes'>
  events: EventLog
  clock: Clock
  log: FastifyBaseLogger
  faultBursts: FaultBursts
}

/**
 * A session that receives copies of its bots' new events, for a developer's terminal. It has the frames of a runtime's
 * session, but hosts nothing: answers only return credit, and reports and logs are ignored.
 */
export class CopySession implements LinkSession {
  readonly #parts: CopySessionParts
  readonly #copies: EventCopies
  #key: LiveRuntimeKey
  #state: 'greeted' | 'attaching' | 'attached' | 'ended' = 'greeted'
  #wanted: readonly string[] = []
  #window = 0
  readonly #unanswered = new Set<string>()
  /** Bots that may have new events. */
  readonly #due = new Set<BotId>()
  #looking = false
  /** Looks left until the next second, so that a busy bot doesn't occupy the database. */
  #looksLeft = copyLooksPerSecond
  /** Assignments are read one after the other, so that an older result never replaces a newer one. */
  #assigning: Promise<void> = Promise.resolve()
  #heardAtMs: number

  constructor(parts: CopySessionParts) {
    this.#parts = parts
    this.#key = parts.key
    this.#copies = new EventCopies(parts.events)
    this.#heardAtMs = parts.clock.nowMs()
    parts.wire.send(helloFrame(parts.id))
  }

  get runtimeId(): RuntimeId {
    return this.#parts.runtime.id
  }

  get takesFrames(): boolean {
    return true
  }

  receive(text: string): void {
    if (this.#state === 'ended') return
    this.#heardAtMs = this.#parts.clock.nowMs()
    const reading = readFrame(text)
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

  keysChanged(keys: readonly LiveRuntimeKey[]): void {
    const own = keys.find(({ number }) => number === this.#key.number)
    if (own !== undefined) this.#key = own
    else this.#close(closeCodes.keyRefused, keys.length === 0 ? 'the runtime was removed' : 'the key was ended')
  }

  assignmentChanged(botId: BotId): void {
    if (this.#state === 'greeted' || !this.#wanted.includes(botId)) return
    this.#assign(({ add, remove }) => (add.length + remove.length === 0 ? [] : botsFrames({ add, remove })))
  }

  /** The bot may have a new event. */
  wake(botId: BotId): void {
    if (!this.#wanted.includes(botId)) return
    this.#due.add(botId)
    this.#look()
  }

  lost(): void {
    this.#state = 'ended'
  }

  drained(): void {
    this.#look()
  }

  watch(nowMs: number): void {
    const { endsAtMs } = this.#key
    if (endsAtMs !== null && endsAtMs <= nowMs)
      this.#close(closeCodes.keyRefused, 'the key has ended; use the newer one')
    else if (nowMs - this.#heardAtMs >= runtimeSilenceMs) this.#close(closeCodes.silent, 'no frame within 75 seconds')
    this.#looksLeft = copyLooksPerSecond
    // Another node's news of an event may have been lost.
    for (const botId of this.#copies.botIds) this.#due.add(botId)
    this.#look()
  }

  /** Nothing is in flight that could be lost. */
  drain(): void {
    this.cutShort()
  }

  cutShort(): void {
    this.#close(closeCodes.draining, 'the service is restarting')
  }

  #ready({ instance, agent, bots: wanted = [], credit }: Ready): void {
    if (this.#state !== 'greeted') {
      this.#refuse('out-of-order', '"ready" was sent already')
      return
    }
    if (wanted.length < 1 || wanted.length > copiedBotsMax) {
      this.#refuse('malformed', `ready/bots: name 1 to ${copiedBotsMax} bots to get copies of their events`)
      return
    }
    this.#state = 'attaching'
    this.#wanted = wanted
    this.#window = Math.min(credit, runtimeMaxCredit)
    this.#assign(({ bots, refused }) => {
      this.#state = 'attached'
      this.#parts.log.info({ session: this.#parts.id, instance, agent, bots: bots.length }, 'copies of events are sent')
      return welcomeFrames({ bots, refused, lost: [] })
    })
  }

  #handle(frame: Exclude<RuntimeFrame, { type: 'ready' | 'bye' }>): void {
    switch (frame.type) {
      case 'ack':
        for (const delivery of frame.deliveries) this.#unanswered.delete(delivery)
        break
      case 'nack':
        this.#unanswered.delete(frame.delivery)
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
    this.#look()
  }

  /** Reads which bots it may follow, sends what `framesOf` makes of them, and follows them from there. */
  #assign(framesOf: (assigned: Hosting & { add: BotId[]; remove: BotId[] }) => string[]): void {
    const assigned = this.#assigning.then(async () => {
      const hosting = await this.#parts.bots.hosting.hostable(this.#parts.runtime, this.#wanted)
      const before = this.#copies.botIds
      const add = hosting.bots.filter((botId) => !before.includes(botId))
      const remove = before.filter((botId) => !hosting.bots.includes(botId))
      for (const botId of add) await this.#copies.add(botId)
      for (const botId of remove) this.#copies.remove(botId)
      if (this.#state === 'ended') return
      for (const frame of framesOf({ ...hosting, add, remove })) this.#parts.wire.send(frame)
    })
    this.#assigning = assigned.catch((error) => this.#fault(error, 'assignment of copies failed'))
  }

  #room(): number {
    if (this.#state !== 'attached' || !this.#parts.wire.writable()) return 0
    return this.#window - this.#unanswered.size
  }

  #look(): void {
    if (this.#looking || this.#due.size === 0 || this.#looksLeft <= 0 || this.#room() <= 0) return
    this.#looking = true
    this.#looksLeft -= 1
    this.#lookOnce()
      .catch((error) => this.#fault(error, 'reading events to copy failed'))
      .finally(() => {
        this.#looking = false
        this.#look()
      })
  }

  async #lookOnce(): Promise<void> {
    const due = [...this.#due]
    this.#due.clear()
    for (const botId of due) {
      const room = this.#room()
      const more =
        room <= 0 ||
        (await this.#copies.read(botId, room, (copy) => {
          if (this.#state !== 'attached') return
          this.#unanswered.add(copy.delivery)
          this.#parts.wire.send(dispatchFrame(copy, undefined))
        }))
      if (more) this.#due.add(botId)
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
    this.#parts.wire.close(code, reason)
  }
}
