import type { BotId } from '../../../domain/ids.ts'
import type { QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { firstNumberOf } from '../../queue/event-number.ts'
import { bigintArray, textArray } from '../binary-array.ts'
import type { Queries } from '../postgres-pool.ts'
import { type Distribution, statement } from './distribution.ts'
import type { Entering } from './insertion.ts'

/** Events of one bot that get numbers and room together: either all of them or none. */
export interface Group<Each extends Entering = Entering> {
  botId: BotId
  events: readonly Each[]
}

/**
 * Locks the bots' rows in the given order, and reserves numbers and room for each group. The locks are held until the
 * transaction ends, so each bot's events become visible in the order of their numbers.
 *
 * @param groups at most one per bot.
 * @returns the numbers of each group's events, or `undefined` if they don't all fit or the bot is unknown.
 */
export async function reserve(
  on: Queries,
  distribution: Distribution,
  groups: readonly Group[],
  limits: QueueLimits,
): Promise<(number[] | undefined)[]> {
  const least = new Map(groups.map(({ botId, events }) => [botId, leastNumbersOf(events)]))
  const firstOf = (botId: BotId) => least.get(botId)?.[0] as number
  const lastOf = (botId: BotId) => least.get(botId)?.at(-1) as number
  const rows = await distribution.run<{ bot_id: BotId; before: number }, Group>(on, take, groups, (some) => [
    textArray(some.map(({ botId }) => botId)),
    bigintArray(some.map(({ events }) => events.length)),
    bigintArray(some.map(({ events }) => bytesOf(events))),
    bigintArray(some.map(({ botId }) => firstOf(botId) - 1)),
    bigintArray(some.map(({ botId }) => lastOf(botId) - firstOf(botId) + 1)),
    limits.maxEventsPerBot,
    limits.maxBytesPerBot,
  ])
  const before = new Map(rows.map((row) => [row.bot_id, row.before]))
  return groups.map(({ botId }) => {
    const start = before.get(botId)
    return start === undefined ? undefined : least.get(botId)?.map((number) => start + number - firstOf(botId) + 1)
  })
}

/** Returns the room reserved for events that are not stored after all. Their numbers stay unused. */
export async function giveBack(on: Queries, { botId, events }: Group): Promise<void> {
  await on.rows(release, [botId, events.length, bytesOf(events)])
}

/** Adds rows for bots without one. Their first numbers are above those of events copied from SQLite. */
export async function addBots(on: Queries, groups: readonly Group[], copiedBelow: number): Promise<void> {
  await on.rows(add, [textArray(groups.map(({ botId }) => botId)), copiedBelow])
}

/** Returns the number of the last event accepted for the bot, or 0 if there is none. */
export async function lastNumberOf(on: Queries, botId: BotId): Promise<number> {
  const [row] = await on.rows<{ last_number: number }>(lastNumber, [botId])
  return row?.last_number ?? 0
}

/**
 * Returns the lowest number that each event can have, given its acceptance time and the events before it. The numbers
 * increase with each event, even if the clock is set back.
 */
function leastNumbersOf(events: readonly Entering[]): number[] {
  let last = 0
  return events.map(({ event }) => {
    last = Math.max(firstNumberOf(event.acceptedAtMs), last + 1)
    return last
  })
}

function bytesOf(events: readonly Entering[]): number {
  return events.reduce((sum, { event }) => sum + event.body.length, 0)
}

const take = statement(
  (and) => `UPDATE queue_entered AS entered SET events = entered.events + new.events, bytes = entered.bytes + new.bytes,
      last_number = greatest(entered.last_number, new.least) + new.span
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS new (bot_id, events, bytes, least, span)
    WHERE entered.bot_id = new.bot_id ${and('entered.bot_id')}
      AND entered.events + new.events - coalesce((SELECT gone.events FROM queue_left AS gone
        WHERE gone.bot_id = new.bot_id ${and('gone.bot_id')}), 0) <= $6::bigint
      AND entered.bytes + new.bytes - coalesce((SELECT gone.bytes FROM queue_left AS gone
        WHERE gone.bot_id = new.bot_id ${and('gone.bot_id')}), 0) <= $7::bigint
    RETURNING entered.bot_id, last_number - new.span AS before`,
)
const lastNumber = 'SELECT last_number FROM queue_entered WHERE bot_id = $1'
const release = 'UPDATE queue_entered SET events = events - $2::bigint, bytes = bytes - $3::bigint WHERE bot_id = $1'
const add = `INSERT INTO queue_entered (bot_id, last_number)
    SELECT bot_id, $2::bigint FROM unnest($1::text[]) AS bot_id ORDER BY bot_id ON CONFLICT DO NOTHING`
