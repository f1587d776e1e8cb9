import { statusMailRounds } from '../../limits/limits.ts'
import { incidentsOf, type StatusChange } from '../status/incidents.ts'

/** The state that a bot's subscribers were last notified of. */
export interface LastNotified {
  state: 'online' | 'offline'
  /** When mail was sent in the last hour, oldest first. */
  atMs: readonly number[]
}

/** The outage that a mail is about. */
export interface StatusMailDetail {
  beganAtMs: number
  /** When the state reported in the email began. */
  atMs: number
  /** Set if further changes won't be mailed before this time, because the state changes so often. */
  pausedUntilMs: number | null
}

export type StatusMailRound =
  | { kind: 'nothing' }
  /** Too many emails in the last hour. Compare again at `dueAtMs`. */
  | { kind: 'later'; dueAtMs: number }
  | { kind: 'notify'; notified: LastNotified; detail: StatusMailDetail }

/**
 * Decides whether to notify a bot's subscribers: only about its current state, and only if it differs from the last one
 * they were notified of. An outage that ends while mail is paused is therefore never mentioned.
 *
 * @param changes of the bot's state, oldest first.
 */
export function statusMailRound(
  notified: LastNotified,
  changes: readonly StatusChange[],
  nowMs: number,
): StatusMailRound {
  const latest = changes.at(-1)
  const [incident] = incidentsOf(changes)
  // With hosting off, the bot is neither down nor back.
  if (latest === undefined || incident === undefined || latest.state === 'hosting-off') return { kind: 'nothing' }
  if (latest.state === notified.state) return { kind: 'nothing' }
  const { most, windowMs } = statusMailRounds
  const recent = notified.atMs.filter((atMs) => atMs > nowMs - windowMs)
  const [oldest = nowMs] = recent
  if (recent.length >= most) return { kind: 'later', dueAtMs: oldest + windowMs }
  const isLast = recent.length + 1 === most
  return {
    kind: 'notify',
    notified: { state: latest.state, atMs: [...recent, nowMs] },
    detail: {
      beganAtMs: incident.beganAtMs,
      atMs: latest.atMs,
      pausedUntilMs: isLast ? oldest + windowMs : null,
    },
  }
}
