import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { LiveRuntimeKey, Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import { Budget, type PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { closeCodes, drainReasons } from './frames.ts'

export interface SessionEnd {
  code: number
  reason: string
}

export interface RuntimeConnection {
  send(frame: object): void
  close(code: number, reason: string): void
  /** Whether either side has begun to close the connection, so that nothing more can be sent. */
  isClosing(): boolean
  /** Whether the runtime has sent so much that its frames have to wait. */
  isHeldBack(): boolean
  /** Whether the peer has read most of what was sent. The session's `drained` is called once it has. */
  writable(): boolean
  /** Sent but still buffered in this process. */
  unreadBytes(): number
  /** Depends on the session's `takesFrames`. */
  updateReading(): void
  /** Frames of the runtime have finished this many deliveries. */
  finished(deliveries: number): void
}

const endOfBudget: SessionEnd = {
  code: closeCodes.overloaded,
  reason: 'the runtime, or others of its owner, sent too much; send less',
}

interface LinkedSession {
  readonly takesFrames: boolean
  receive(text: string): void
  receiveBinary(): void
  drained(): void
  cutShort(end: SessionEnd): void
}

export type OpenLink = ReturnType<typeof openLink>

/** Doesn't read from the socket while the session can't handle frames, and while the budget is spent. */
export function openLink<Session extends LinkedSession>(
  webSocket: WebSocket,
  socket: Duplex,
  budget: FrameBudget,
  sessionOf: (wire: RuntimeConnection) => Session,
) {
  let stalled = false
  const isClosing = () => webSocket.readyState !== WebSocket.OPEN
  const writable = () => webSocket.bufferedAmount < limits.runtimeSendBufferMaxBytes
  const session = sessionOf({
    send(frame) {
      if (isClosing()) return
      webSocket.send(JSON.stringify(frame), () => {
        updateReading()
        if (!stalled || !writable()) return
        stalled = false
        session.drained()
      })
    },
    close: (code, reason) => webSocket.close(code, reason),
    isClosing,
    isHeldBack: () => budget.isSpent,
    unreadBytes: () => webSocket.bufferedAmount,
    updateReading,
    writable() {
      stalled = !writable()
      return !stalled
    },
    finished: (deliveries) => budget.finished(deliveries),
  })
  socket.on('data', (bytes: Buffer) => {
    if (isClosing()) return
    budget.spend(bytes.length)
    closeIfExceeded()
    updateReading()
  })
  webSocket.on('message', (data, isBinary) => {
    if (isClosing()) return
    if (isBinary) session.receiveBinary()
    else session.receive(String(data))
    budget.spend(limits.runtimeFrameBytes)
    updateReading()
  })

  function closeIfExceeded(): void {
    if (budget.isExceeded) session.cutShort(endOfBudget)
  }

  function updateReading(): void {
    // The peer's close frame still has to be read.
    const reads = isClosing() || session.takesFrames
    if (reads && webSocket.isPaused) webSocket.resume()
    else if (!reads && !webSocket.isPaused) webSocket.pause()
  }

  return {
    session,
    terminate: () => webSocket.terminate(),
    /** Ends the session if it exceeds its budget. Call it every second. */
    closeIfExceeded,
  }
}

/** Detects peers that send nothing or read nothing. */
export class Liveness {
  /** Until `ready`, the time at which the connection was opened. */
  #heardAtMs: number
  /** When the peer last read something, or had nothing to read. */
  #readAtMs: number
  #unreadBytes = 0

  constructor(nowMs: number) {
    this.#heardAtMs = nowMs
    this.#readAtMs = nowMs
  }

  heard(nowMs: number): void {
    this.#heardAtMs = nowMs
  }

  /**
   * Call it regularly: it detects reading by comparing `unreadBytes` with the last call's. `expected` is the missing
   * frame, which the close reason names.
   */
  check(unreadBytes: number, expected: '"ready"' | 'frame', nowMs: number): SessionEnd | undefined {
    if (nowMs - this.#heardAtMs >= limits.runtimeSilenceMs) {
      return { code: closeCodes.silent, reason: `no ${expected} within 75 seconds` }
    }
    if (unreadBytes === 0 || unreadBytes < this.#unreadBytes) this.#readAtMs = nowMs
    this.#unreadBytes = unreadBytes
    if (nowMs - this.#readAtMs < limits.runtimeStuckMs) return undefined
    return { code: closeCodes.overloaded, reason: 'the runtime stopped reading' }
  }
}

/** A session's own budget, and its owner's for all sessions, which outlives them, so that reconnecting gains little. */
export class FrameBudget {
  readonly #own: Budget
  readonly #owner: string | null
  readonly #ofOwners: PartyBudgets
  readonly #clock: Clock
  #overdrawnSinceMs: number | undefined

  constructor({ ownerId }: Pick<Runtime, 'ownerId'>, ofOwners: PartyBudgets, clock: Clock) {
    const rate = ownerId === null ? limits.runtimeBytesPerPlatformSession : limits.runtimeBytesPerSession
    this.#own = new Budget(rate, clock.nowMs())
    this.#owner = ownerId
    this.#ofOwners = ofOwners
    this.#clock = clock
  }

  /** A negative number gives bytes back. */
  spend(bytes: number): void {
    const nowMs = this.#clock.nowMs()
    this.#own.spend(bytes, nowMs)
    if (this.#owner !== null) this.#ofOwners.spend(this.#owner, bytes, nowMs)
    if (this.isSpent) this.#overdrawnSinceMs ??= nowMs
  }

  finished(deliveries: number): void {
    this.spend(-deliveries * limits.runtimeBytesPerFinishedDelivery)
  }

  /** Whether the next frame of the session has to wait. */
  get isSpent(): boolean {
    return this.#left() <= 0
  }

  /** Whether the session keeps exceeding its budget. False if it sends little, whatever its owner's others send. */
  get isExceeded(): boolean {
    const nowMs = this.#clock.nowMs()
    if (this.#own.isNearlyFull(nowMs)) this.#overdrawnSinceMs = undefined
    if (this.#overdrawnSinceMs === undefined) return false
    return (
      nowMs - this.#overdrawnSinceMs >= limits.runtimeBytesOverdrawnMs ||
      this.#left() < -limits.runtimeBytesOverdrawnMax
    )
  }

  #left(): number {
    const nowMs = this.#clock.nowMs()
    const own = this.#own.left(nowMs)
    return this.#owner === null ? own : Math.min(own, this.#ofOwners.left(this.#owner, nowMs))
  }
}

/**
 * Returns how the session ends if its key is no longer valid, or if its runtime's bots have changed. In the latter
 * case, the runtime reconnects and keeps its deliveries in flight.
 * @param access `undefined` if the runtime was removed.
 */
export function endOfAccess(
  opened: Runtime,
  key: LiveRuntimeKey,
  access: RuntimeAccess | undefined,
): SessionEnd | undefined {
  if (!access?.keys.some(({ number }) => number === key.number)) {
    const isGone = access === undefined || access.keys.length === 0
    return { code: closeCodes.keyRefused, reason: isGone ? 'the runtime was removed' : 'the key was revoked' }
  }
  const [before, after] = [opened.botIds, access.botIds]
  if (before === after) return undefined
  const same = before && after && new Set(before).symmetricDifference(new Set(after)).size === 0
  return same ? undefined : { code: closeCodes.draining, reason: drainReasons.botsChanged }
}

export function endOfExpiredKey({ endsAtMs }: LiveRuntimeKey, nowMs: number): SessionEnd | undefined {
  if (endsAtMs === null || endsAtMs > nowMs) return undefined
  return { code: closeCodes.keyRefused, reason: 'the key has expired; use the newer one' }
}
