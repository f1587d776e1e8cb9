import { exitCodes, StartFault } from '../../../src/commands/start-fault.ts'
import type { StatusOptions } from './command-line.ts'
import { printableLine } from './printable.ts'
import { type Answer, request } from './request.ts'

/** The bot status record (specification, "Resources and their fields"). */
interface BotStatus {
  online: boolean
  name: string
  hostingEnabled: boolean
  hostingLocation: string | null
  presence: string | null
  uptimeMs: number | null
  reportedAt: number | null
  guildCount: number | null
  shardCount: number | null
  checkedAt: number
}

/** Same exit code as that of `systemctl status` for a unit that is not running. */
const offlineExitCode = 3

/**
 * `gatehouse status`: prints a bot's public status. Resolves with exit code 0 if the bot is online, and 3 if it is
 * offline.
 *
 * @throws StartFault if the status can't be read.
 */
export async function status({ url, json }: StatusOptions, version: string): Promise<number> {
  const api = new URL(url)
  api.pathname = `${api.pathname.replace(/(\/api)?\/?$/, '')}/api`
  const answer = await request(api.href, {
    headers: { accept: 'application/json', 'user-agent': `gatehouse-cli/${version}` },
  })
  const record = recordIn(answer, url)
  process.stdout.write(json ? `${answer.body.trim()}\n` : inWords(record))
  return record.online ? exitCodes.ok : offlineExitCode
}

function recordIn({ status: code, body }: Answer, url: string): BotStatus {
  const failed = (why: string) => new StartFault(exitCodes.failed, [why])
  const record = parsed(body)
  if (code === 404) {
    throw failed(`there is no public status at ${url}: the bot is unknown, or its owner hasn't made its status public`)
  }
  if (code === 429) throw failed(`too many requests; try again in ${record?.retryAfterSec ?? 60} s`)
  if (code !== 200) throw failed(`the status API responded with ${code}`)
  if (typeof record?.online !== 'boolean' || typeof record.name !== 'string') {
    throw failed(`${url} is not the status page of a bot on Gatehouse`)
  }
  return record as unknown as BotStatus
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function inWords(record: BotStatus): string {
  const { online, name, presence, hostingEnabled, hostingLocation, uptimeMs, guildCount, shardCount } = record
  const rows: [string, string | number | null][] = [
    ['Hosting', `${hostingEnabled ? 'on' : 'off'}${hostingLocation === null ? '' : ` (${hostingLocation})`}`],
    ['Uptime', uptimeMs === null ? null : duration(uptimeMs)],
    ['Servers', guildCount],
    ['Shards', shardCount],
    ['Reported', record.reportedAt === null ? 'never' : `${duration(record.checkedAt - record.reportedAt)} ago`],
  ]
  const lines = rows.flatMap(([label, value]) =>
    value === null ? [] : `${label.padEnd(10)}${printableLine(String(value))}`,
  )
  const state = `${online ? 'online' : 'offline'}${online && presence !== null ? `, ${presence}` : ''}`
  return `${printableLine(`${name}: ${state}`)}\n${lines.join('\n')}\n`
}

const units: readonly [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** Formats a duration in its two largest units, such as `3 h 12 min`. */
function duration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1_000))
  const parts = units.flatMap(([unit, seconds]) => {
    const count = Math.floor(left / seconds)
    left -= count * seconds
    return count === 0 ? [] : `${count} ${unit}`
  })
  return parts.slice(0, 2).join(' ') || '0 s'
}
