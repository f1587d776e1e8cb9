import type { StatusChange } from '../../../domain/bots/status/incidents.ts'
import type { LastNotified, StatusMailRound } from '../../../domain/bots/status-mail/status-mail-round.ts'
import type {
  StatusMailStore,
  StatusSubscriber,
  SubscriptionRequest,
} from '../../../domain/bots/status-mail/status-mail-store.ts'
import type { BotId, ChatPlatformId } from '../../../domain/ids.ts'
import type { Language } from '../../../domain/language.ts'
import {
  confirmationsPerAddress,
  statusMailAgainAfterMs,
  statusMailDelayMs,
  statusMailLinkLifetimeMs,
  statusSubscribersPerBot,
  unconfirmedSubscribersPerBot,
} from '../../../domain/limits/limits.ts'
import { changes, changesOfEach, type Database, firstRow, inserted, type Work } from '../database.ts'
import { botExists } from '../existence.ts'
import { statusChangesOf } from './status-changes.ts'

interface SubscriberRow {
  number: number
  bot_id: string
  name: string
  chat_platform_id: string
  public_status: number
  address: string
  language: Language
  requested_at_ms: number
  confirmed_at_ms: number | null
}

type Requested = Pick<SubscriberRow, 'number' | 'requested_at_ms' | 'confirmed_at_ms'>

/** Subscribers of bots that are not deleted. */
const subscriber = `SELECT number, bot_id, bots.name, chat_platform_id, public_status, address, language, requested_at_ms,
    confirmed_at_ms FROM status_subscribers JOIN bots ON bots.id = bot_id WHERE deleted_at_ms IS NULL AND number = ?`

export function sqlStatusMail(database: Database): StatusMailStore {
  return {
    request: (request, nowMs) =>
      database.write({ row: `bot ${request.botId}` }, function* () {
        const { botId, addressKey } = request
        if (!(yield* botExists(botId)) || (yield* isFull(botId))) return 'full'
        const known = yield* firstRow<Requested>(
          'SELECT number, requested_at_ms, confirmed_at_ms FROM status_subscribers WHERE bot_id = ? AND address_key = ?',
          botId,
          addressKey,
        )
        const sent = yield* firstRow<{ count: number }>(
          'SELECT count(*) AS count FROM status_subscribers WHERE address_key = ? AND requested_at_ms > ?',
          addressKey,
          nowMs - statusMailLinkLifetimeMs,
        )
        const isDue = known === undefined || isDueAgain(known, nowMs)
        const maySend = isDue && (sent?.count ?? 0) < confirmationsPerAddress
        const requestedAtMs = maySend ? nowMs : (known?.requested_at_ms ?? nowMs)
        const number = known === undefined ? yield* add(request, nowMs) : known.number
        // Writes even if nothing changes, so that every request takes as long.
        yield* changes('UPDATE status_subscribers SET requested_at_ms = ? WHERE number = ?', requestedAtMs, number)
        if (maySend) yield* queue('confirm-status', null, nowMs, 'number = ?', number)
        yield* changes(
          `DELETE FROM status_subscribers WHERE number IN (SELECT number FROM status_subscribers
             WHERE bot_id = ? AND confirmed_at_ms IS NULL ORDER BY requested_at_ms DESC, number DESC
             LIMIT 1000 OFFSET ${unconfirmedSubscribersPerBot})`,
          botId,
        )
        return 'accepted'
      }),

    async find(number) {
      const [row] = await database.queryOnce<SubscriberRow>(subscriber, number)
      return row && asSubscriber(row)
    },

    confirm: (number, requestedAtMs, { nowMs, since }) =>
      database.write({}, function* () {
        const row = yield* firstRow<SubscriberRow>(subscriber, number)
        if (row === undefined || row.requested_at_ms !== requestedAtMs) return 'link-invalid'
        if (row.confirmed_at_ms !== null) return 'confirmed'
        if (requestedAtMs <= since) return 'link-invalid'
        const botId = row.bot_id as BotId
        if (yield* isFull(botId)) return 'full'
        if ((yield* confirmedOf(botId)) === 0) yield* beginNotifying(botId)
        yield* changes('UPDATE status_subscribers SET confirmed_at_ms = ? WHERE number = ?', nowMs, number)
        return 'confirmed'
      }),

    remove: (number) =>
      database.write({}, function* () {
        yield* changes('DELETE FROM outgoing_mail WHERE subscriber = ?', number)
        return (yield* changes('DELETE FROM status_subscribers WHERE number = ?', number)) === 1
      }),

    async dueBots(nowMs, most) {
      const found = await database.queryOnce<{ bot_id: string }>(
        'SELECT bot_id FROM status_mail WHERE due_at_ms <= ? ORDER BY due_at_ms, bot_id LIMIT ?',
        nowMs,
        most,
      )
      return found.map((row) => row.bot_id as BotId)
    },

    notify: (botId, rule, nowMs) => database.write({ row: `bot ${botId}` }, () => notify(botId, rule, nowMs)),

    prune: (requestedBeforeMs, most) =>
      database.write({}, function* () {
        const unconfirmed = yield* changes(
          `DELETE FROM status_subscribers WHERE number IN (SELECT number FROM status_subscribers
             WHERE confirmed_at_ms IS NULL AND requested_at_ms <= ? ORDER BY requested_at_ms LIMIT ?)`,
          requestedBeforeMs,
          most,
        )
        const ofDeleted = yield* changes(
          `DELETE FROM status_subscribers WHERE number IN (SELECT number FROM bots
             JOIN status_subscribers ON bot_id = bots.id WHERE deleted_at_ms IS NOT NULL LIMIT ?)`,
          most,
        )
        return unconfirmed + ofDeleted
      }),
  }
}

/** Makes the bots due for status mail a while after each change, so that brief outages aren't mailed. */
export function* considerStatusMail(changed: readonly { botId: BotId; sinceMs: number }[]): Work<void> {
  yield* changesOfEach(
    'UPDATE status_mail SET due_at_ms = coalesce(due_at_ms, CAST(? AS BIGINT)) WHERE bot_id = ?',
    changed.map(({ botId, sinceMs }) => [sinceMs + statusMailDelayMs, botId]),
  )
}

function* notify(
  botId: BotId,
  rule: (notified: LastNotified, changes: readonly StatusChange[]) => StatusMailRound,
  nowMs: number,
): Work<number> {
  const row = yield* firstRow<{ notified: LastNotified['state']; notified_at_ms: string; due_at_ms: number | null }>(
    'SELECT notified, notified_at_ms, due_at_ms FROM status_mail WHERE bot_id = ?',
    botId,
  )
  // Another node has already handled this change.
  if (row?.due_at_ms == null || row.due_at_ms > nowMs) return 0
  const round = rule({ state: row.notified, atMs: JSON.parse(row.notified_at_ms) }, yield* statusChangesOf(botId))
  if (round.kind !== 'notify') {
    const dueAtMs = round.kind === 'later' ? round.dueAtMs : null
    yield* changes('UPDATE status_mail SET due_at_ms = ? WHERE bot_id = ?', dueAtMs, botId)
    return 0
  }
  const { notified, detail } = round
  yield* changes(
    'UPDATE status_mail SET notified = ?, notified_at_ms = ?, due_at_ms = NULL WHERE bot_id = ?',
    notified.state,
    JSON.stringify(notified.atMs),
    botId,
  )
  yield* changes(
    `DELETE FROM outgoing_mail WHERE kind <> 'confirm-status'
       AND subscriber IN (SELECT number FROM status_subscribers WHERE bot_id = ?)`,
    botId,
  )
  const confirmed = 'bot_id = ? AND confirmed_at_ms IS NOT NULL'
  return yield* queue(`bot-${notified.state}`, JSON.stringify(detail), nowMs, confirmed, botId)
}

/** Queues an email to each of the subscribers. Returns how many. */
function* queue(
  kind: 'confirm-status' | 'bot-online' | 'bot-offline',
  detail: string | null,
  nowMs: number,
  condition: string,
  value: number | string,
): Work<number> {
  return yield* changes(
    `INSERT INTO outgoing_mail (kind, address, language, subscriber, detail, due_at_ms, created_at_ms)
       SELECT ?, address, language, number, ?, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM status_subscribers
       WHERE ${condition}`,
    kind,
    detail,
    nowMs,
    nowMs,
    value,
  )
}

function* add({ botId, address, addressKey, language }: SubscriptionRequest, nowMs: number): Work<number> {
  return yield* inserted(
    'INSERT INTO status_subscribers (bot_id, address, address_key, language, requested_at_ms) VALUES (?, ?, ?, ?, ?)',
    botId,
    address,
    addressKey,
    language,
    nowMs,
  )
}

function isDueAgain({ requested_at_ms, confirmed_at_ms }: Requested, nowMs: number): boolean {
  return confirmed_at_ms === null && requested_at_ms <= nowMs - statusMailAgainAfterMs
}

function* isFull(botId: BotId): Work<boolean> {
  return (yield* confirmedOf(botId)) >= statusSubscribersPerBot
}

function* confirmedOf(botId: BotId): Work<number> {
  const row = yield* firstRow<{ count: number }>(
    'SELECT count(*) AS count FROM status_subscribers WHERE bot_id = ? AND confirmed_at_ms IS NOT NULL',
    botId,
  )
  return row?.count ?? 0
}

/** Records the current state for the bot's first subscriber. If the bot is down, they are notified when it is back. */
function* beginNotifying(botId: BotId): Work<void> {
  const latest = (yield* statusChangesOf(botId)).at(-1)
  yield* changes(
    `INSERT INTO status_mail (bot_id, notified, notified_at_ms) VALUES (?, ?, '[]')
       ON CONFLICT (bot_id) DO UPDATE SET notified = excluded.notified, notified_at_ms = excluded.notified_at_ms, due_at_ms = NULL`,
    botId,
    latest?.state === 'offline' ? 'offline' : 'online',
  )
}

function asSubscriber(row: SubscriberRow): StatusSubscriber {
  return {
    number: row.number,
    botId: row.bot_id as BotId,
    botName: row.name,
    chatPlatformId: row.chat_platform_id as ChatPlatformId,
    isPublic: row.public_status === 1,
    address: row.address,
    language: row.language,
    requestedAtMs: row.requested_at_ms,
    confirmedAtMs: row.confirmed_at_ms,
  }
}
