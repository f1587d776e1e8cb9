import { inspect } from 'node:util'

/** Checks of values from the bot's own code. The service would end the session of all bots because of a wrong one. */

const presences = ['online', 'idle', 'dnd', 'invisible'] as const
const levels = ['debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof levels)[number]
export type Presence = (typeof presences)[number]

/** A bot's current state. Omit members whose value is unknown, or set them to null. */
export interface BotReport {
  /** Whether the bot's connection to the chat platform is ready. */
  ready: boolean
  presence?: Presence | null
  /** Milliseconds since the bot's connection to the chat platform became ready. */
  uptimeMs?: number | null
  guildCount?: number | null
  shardCount?: number | null
}

export interface ReportedBot extends Required<Omit<BotReport, 'presence'>> {
  botId: string
  presence: Presence | null
}

class WrongValue extends TypeError {
  override name = 'TypeError'
}

/** Returns the error to report. A wrong value needs no stack: that of the returned error shows who passed it. */
export function problemOf(failure: string, error: unknown): Error {
  return error instanceof WrongValue ? new Error(`${failure}: ${error.message}`) : new Error(failure, { cause: error })
}

/** @throws TypeError if it can't be the ID of a bot: 1 to 64 characters, no control characters. */
export function checkBotId(botId: unknown): asserts botId is string {
  if (typeof botId !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(botId))
    throw new WrongValue(`a bot's ID has 1 to 64 characters, unlike ${short(botId)}`)
}

/** @throws TypeError for a level that doesn't exist. */
export function checkLevel(level: unknown): asserts level is LogLevel {
  if (!levels.includes(level as LogLevel))
    throw new WrongValue(`a log level is one of ${levels.join(', ')}, not ${short(level)}`)
}

/**
 * Returns the report as it is sent, or `undefined` if there is none.
 *
 * @throws TypeError that names the wrong member.
 */
export function checkedReport(botId: string, report: BotReport | null | undefined): ReportedBot | undefined {
  if (report === undefined || report === null) return undefined
  if (typeof (report as { then?: unknown }).then === 'function') {
    Promise.resolve(report).catch(() => {})
    throw new WrongValue('"heartbeat" must return the report itself, not a promise')
  }
  if (typeof report !== 'object') throw new WrongValue(`"heartbeat" must return an object, not ${short(report)}`)
  const { ready, presence = null, uptimeMs = null, guildCount = null, shardCount = null } = report
  if (typeof ready !== 'boolean') throw new WrongValue(`"ready" must be true or false, not ${short(ready)}`)
  if (presence !== null && !presences.includes(presence))
    throw new WrongValue(`"presence" must be one of ${presences.join(', ')}, or null, not ${short(presence)}`)
  const counts = { uptimeMs, guildCount, shardCount }
  for (const [name, count] of Object.entries(counts)) {
    if (count !== null && !(typeof count === 'number' && count >= 0 && count <= Number.MAX_SAFE_INTEGER))
      throw new WrongValue(`"${name}" must be a number from 0, or null, not ${short(count)}`)
  }
  return { botId, ready, presence, ...counts, uptimeMs: uptimeMs === null ? null : Math.floor(uptimeMs) }
}

/** Returns the text of anything that the bot's code throws, or passes instead of a text. Never throws. */
export function textOf(value: unknown): string {
  try {
    if (typeof value === 'string') return value
    return value instanceof Error ? `${value.name}: ${value.message}` : inspect(value)
  } catch {
    return 'a value that can’t be shown'
  }
}

function short(value: unknown): string {
  return inspect(value).slice(0, 80)
}
