import { oneAtATime } from './background-work.ts'
import type { Clock } from './clock.ts'
import * as limits from './limits/limits.ts'

/** Reasons why a node is not ready. The set is fixed, because the values are metric labels. */
export type UnreadyReason =
  | 'starting'
  | 'stopping'
  | 'disk-full'
  | 'unreachable'
  | 'too-many-connections'
  | 'read-only'
  | 'no-answer'
  | 'not-configured'
  | 'failing'

interface CheckOutcome {
  state: 'ok' | 'failing' | 'not-ready' | 'not-configured'
  cause?: unknown
}

export interface ReadinessReport {
  ready: boolean
  checks: { identity: CheckOutcome['state']; gateway: CheckOutcome['state'] }
  reason: UnreadyReason | 'none'
  /** If both checks failed, the error from the gateway check. */
  cause: unknown
}

interface ReadinessParts {
  /** Resolves once the identity database has committed a write. */
  probeIdentity(): Promise<void>
  checkGateway(): Promise<CheckOutcome>
  clock: Clock
  /** Not called while the node is stopping. */
  onChange(report: ReadinessReport): void
}

/** Tracks readiness. A ready node is checked on request and after a 503; one that is not ready, every second. */
export class Readiness {
  readonly #parts: ReadinessParts
  readonly check = oneAtATime(() => this.#checkNow()).run
  #suspectedAtMs = Number.NEGATIVE_INFINITY
  readonly #probe: () => Promise<void>
  #ready = true
  #stopWatching: (() => void) | undefined
  #closed = false

  constructor(parts: ReadinessParts) {
    this.#parts = parts
    this.#probe = probeInTime(parts.clock, () => parts.probeIdentity())
  }

  /** Checks whether this node is the cause of a 503 response, at most once per second. Called after each one. */
  suspect(): void {
    const nowMs = this.#parts.clock.nowMs()
    // The difference is negative if the clock was set back.
    const agoMs = Math.abs(nowMs - this.#suspectedAtMs)
    if (!this.#ready || this.#closed || agoMs < limits.readinessWatchedEveryMs) return
    this.#suspectedAtMs = nowMs
    void this.check()
  }

  close(): void {
    this.#closed = true
    this.#stopWatching?.()
  }

  async #checkNow(): Promise<ReadinessReport> {
    const checkIdentity = this.#probe().then(
      (): CheckOutcome => ({ state: 'ok' }),
      (cause): CheckOutcome => ({ state: 'failing', cause }),
    )
    const [identity, gateway] = await Promise.all([checkIdentity, this.#parts.checkGateway()])
    const failed = [gateway, identity].find(({ state }) => state !== 'ok')
    const report: ReadinessReport = {
      ready: failed === undefined,
      checks: { identity: identity.state, gateway: gateway.state },
      reason: failed === undefined ? 'none' : reasonOf(failed),
      cause: failed?.cause,
    }
    if (report.reason !== 'stopping' && !this.#closed) this.#judge(report)
    return report
  }

  #judge(report: ReadinessReport): void {
    if (report.ready === this.#ready) return
    this.#ready = report.ready
    if (report.ready) this.#stopWatching?.()
    else this.#stopWatching = this.#parts.clock.every(limits.readinessWatchedEveryMs, this.check)
    this.#parts.onChange(report)
  }
}

/** Returns a probe that rejects after a second. A call while the previous one still hangs waits for that one. */
export function probeInTime<T>(clock: Clock, probe: () => Promise<T>): () => Promise<T> {
  const probing = oneAtATime(probe)
  return async () => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const stop = clock.every(limits.healthProbeDeadlineMs, () => reject(new ProbeTimeout()))
    try {
      return await Promise.race([probing.run(), late])
    } finally {
      stop()
    }
  }
}

class ProbeTimeout extends Error {
  constructor() {
    super(`health probe timed out after ${limits.healthProbeDeadlineMs} ms`)
    this.name = 'ProbeTimeout'
  }
}

function reasonOf({ state, cause }: CheckOutcome): UnreadyReason {
  if (state === 'not-ready') return 'stopping'
  return state === 'not-configured' ? state : reasonOfCause(cause)
}

/** Returns whether PostgreSQL, or PgBouncer in front of it, accepts no further connection. */
export function areConnectionsExhausted(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return code === '53300' || /^(too many|no more) connections|sorry, too many clients/.test(message)
}

/** Classifies an error by its code (SQLite, PostgreSQL or operating system). Falls back to the error's cause. */
function reasonOfCause(cause: unknown): UnreadyReason {
  if (!(cause instanceof Error)) return 'failing'
  if (cause instanceof ProbeTimeout) return 'no-answer'
  const { code = '', errcode = 0 } = cause as { code?: string; errcode?: number }
  if (code === 'ENOSPC' || code === '53100' || (errcode & 0xff) === sqliteFull) return 'disk-full'
  if (code === 'EROFS' || code === '25006' || (errcode & 0xff) === sqliteReadOnly || /read-only/.test(cause.message)) {
    return 'read-only'
  }
  if (code === '57014' || /timeout/i.test(cause.message)) return 'no-answer'
  if (areConnectionsExhausted(cause)) return 'too-many-connections'
  if (/^(08|57P|E(CONN|HOST|NET|PIPE|AI_|NOTFOUND|TIMEDOUT))/.test(code)) return 'unreachable'
  if (cause.cause !== undefined) return reasonOfCause(cause.cause)
  return /terminated|Connection/.test(cause.message) ? 'unreachable' : 'failing'
}

const sqliteFull = 13
const sqliteReadOnly = 8
