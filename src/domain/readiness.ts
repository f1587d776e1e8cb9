import type { Clock } from './clock.ts'
import { healthProbeDeadlineMs, readinessWatchedEveryMs } from './limits.ts'

/** Why a node can't do its work. Few words, since they are labels of a figure. */
export type UnreadyReason =
  | 'starting'
  | 'stopping'
  | 'disk-full'
  | 'unreachable'
  | 'read-only'
  | 'no-answer'
  | 'not-configured'
  | 'failing'

export type CheckOutcome = { state: 'ok' } | { state: 'failing' | 'not-ready' | 'not-configured'; cause?: unknown }

export interface ReadinessReport {
  ready: boolean
  checks: { identity: CheckOutcome['state']; gateway: CheckOutcome['state'] }
  /** `none` while it is ready. */
  reason: UnreadyReason | 'none'
  /** Of the check that failed first. */
  cause: unknown
}

interface ReadinessParts {
  /** Resolves once the identity database has taken a write. */
  probeIdentity(): Promise<void>
  checkGateway(): Promise<CheckOutcome>
  clock: Clock
  /** Called when a node that was ready is not any more, and when it is again. Not while it stops. */
  onChange(report: ReadinessReport): void
}

/**
 * Whether this node can do its work. An idle node is not probed: it is checked when somebody asks, and when an answer
 * was 503. From then on it is checked every second until it is ready again.
 */
export class Readiness {
  readonly #parts: ReadinessParts
  #checking: Promise<ReadinessReport> | undefined
  #suspectedAtMs = Number.NEGATIVE_INFINITY
  #probing: Promise<CheckOutcome> | undefined
  #ready = true
  #stopWatching: (() => void) | undefined
  #closed = false

  constructor(parts: ReadinessParts) {
    this.#parts = parts
  }

  /** Those who ask while a check is under way share it. */
  check(): Promise<ReadinessReport> {
    this.#checking ??= this.#checkNow().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Something was answered 503: finds out, once a second at most, whether this node is the reason. */
  suspect(): void {
    const nowMs = this.#parts.clock.nowMs()
    if (!this.#ready || this.#closed || nowMs - this.#suspectedAtMs < readinessWatchedEveryMs) return
    this.#suspectedAtMs = nowMs
    void this.check()
  }

  close(): void {
    this.#closed = true
    this.#stopWatching?.()
  }

  async #checkNow(): Promise<ReadinessReport> {
    const [identity, gateway] = await Promise.all([this.#checkIdentity(), this.#parts.checkGateway()])
    const failed = [gateway, identity].find(({ state }) => state !== 'ok')
    const report: ReadinessReport = {
      ready: failed === undefined,
      checks: { identity: identity.state, gateway: gateway.state },
      reason: failed === undefined ? 'none' : reasonOf(failed),
      cause: failed !== undefined && 'cause' in failed ? failed.cause : undefined,
    }
    if (report.reason !== 'stopping' && !this.#closed) this.#judge(report)
    return report
  }

  #judge(report: ReadinessReport): void {
    if (report.ready === this.#ready) return
    this.#ready = report.ready
    if (report.ready) this.#stopWatching?.()
    else this.#stopWatching = this.#parts.clock.every(readinessWatchedEveryMs, () => void this.check())
    this.#parts.onChange(report)
  }

  async #checkIdentity(): Promise<CheckOutcome> {
    // A probe that hangs is waited for again rather than joined by another.
    this.#probing ??= this.#parts
      .probeIdentity()
      .then(
        (): CheckOutcome => ({ state: 'ok' }),
        (cause): CheckOutcome => ({ state: 'failing', cause }),
      )
      .finally(() => {
        this.#probing = undefined
      })
    let stop = () => {}
    const late = new Promise<CheckOutcome>((resolve) => {
      stop = this.#parts.clock.every(healthProbeDeadlineMs, () => resolve({ state: 'failing', cause: new NoAnswer() }))
    })
    try {
      return await Promise.race([this.#probing, late])
    } finally {
      stop()
    }
  }
}

/** A probe that was not answered in time. */
export class NoAnswer extends Error {
  constructor() {
    super(`no answer within ${healthProbeDeadlineMs} ms`)
    this.name = 'NoAnswer'
  }
}

function reasonOf(outcome: CheckOutcome): UnreadyReason {
  if (outcome.state === 'not-ready') return 'stopping'
  if (outcome.state === 'not-configured') return 'not-configured'
  return 'cause' in outcome ? reasonOfCause(outcome.cause) : 'failing'
}

/** By the codes that SQLite, PostgreSQL and the system give to errors, of the error or what caused it. */
function reasonOfCause(cause: unknown): UnreadyReason {
  if (!(cause instanceof Error)) return 'failing'
  if (cause instanceof NoAnswer) return 'no-answer'
  const { code = '', errcode = 0 } = cause as { code?: string; errcode?: number }
  if (code === 'ENOSPC' || code === '53100' || (errcode & 0xff) === sqliteFull) return 'disk-full'
  if (code === 'EROFS' || code === '25006' || (errcode & 0xff) === sqliteReadOnly || /read-only/.test(cause.message)) {
    return 'read-only'
  }
  if (code === '57014' || /timeout/i.test(cause.message)) return 'no-answer'
  if (/^(08|57P|53300|E(CONN|HOST|NET|PIPE|AI_|NOTFOUND|TIMEDOUT))/.test(code)) return 'unreachable'
  if (cause.cause !== undefined) return reasonOfCause(cause.cause)
  return /terminated|Connection/.test(cause.message) ? 'unreachable' : 'failing'
}

const sqliteFull = 13
const sqliteReadOnly = 8
