import type { BotId, UserId } from '../../../domain/ids.ts'
import type { AnnouncementStore, WatchedBot } from '../../../domain/subscriptions/bot-watch.ts'
import { asSnapshot, type SnapshotRow, snapshotColumns } from '../bots/bot-rows.ts'
import { recordStatusChanges } from '../bots/status-changes.ts'
import { changes, changesOfEach, type Database } from '../database.ts'

type WatchedRow = SnapshotRow & {
  id: string
  ownerId: string
  name: string
  hostingEnabled: number
  state: string | null
  sinceMs: number | null
}

const watched = `SELECT id, owner_id, name, hosting_enabled, ${snapshotColumns}, state, since_ms
    FROM bots LEFT JOIN snapshots ON snapshots.bot_id = bots.id
      LEFT JOIN announced_states ON announced_states.bot_id = bots.id AND subject = 'connection'
    WHERE bots.id > ? AND deleted_at_ms IS NULL`
const ofSubscribers = `owner_id IN (SELECT owner_id FROM subscriptions WHERE disabled_because IS NULL)`
const noActiveSubscription = 'NOT EXISTS (SELECT 1 FROM subscriptions WHERE disabled_because IS NULL)'

export function sqlAnnouncements(database: Database): AnnouncementStore {
  return {
    async watchedBots(everyone, after, most) {
      const found = await database.queryOnce<WatchedRow>(
        `${watched} ${everyone ? '' : `AND ${ofSubscribers}`} ORDER BY bots.id LIMIT ?`,
        after ?? '',
        most,
      )
      return found.map(asWatched)
    },

    announce: (announcements) =>
      database.write({}, function* () {
        const stored = yield* changesOfEach(
          `INSERT INTO announced_states (bot_id, subject, state, since_ms) VALUES (?, ?, ?, ?)
             ON CONFLICT (bot_id, subject) DO UPDATE SET state = excluded.state, since_ms = excluded.since_ms
             WHERE announced_states.state = ?`,
          announcements.map(({ botId, subject, previous, state, sinceMs }) => {
            return [botId, subject, state, sinceMs, previous ?? null]
          }),
        )
        const changed = announcements.filter(
          ({ subject, previous }, at) => subject === 'connection' && previous !== undefined && stored[at] === 1,
        )
        yield* recordStatusChanges(changed)
      }),

    async announcedOf(subject) {
      const found = await database.queryOnce<{ botId: string }>(
        'SELECT bot_id FROM announced_states WHERE subject = ?',
        subject,
      )
      return found.map((row) => row.botId as BotId)
    },

    withdraw: (subject, botIds) =>
      database.write({}, function* () {
        yield* changesOfEach(
          'DELETE FROM announced_states WHERE subject = ? AND bot_id = ?',
          botIds.map((botId) => [subject, botId]),
        )
      }),

    prune: (most) =>
      database.write({}, () =>
        changes(
          `DELETE FROM announced_states WHERE (bot_id, subject) IN
             (SELECT bot_id, subject FROM announced_states JOIN bots ON bots.id = bot_id
              WHERE deleted_at_ms IS NOT NULL
                OR subject = 'queue' AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE disabled_because IS NULL
                  AND (subscriptions.owner_id = bots.owner_id OR subscriptions.owner_id IS NULL)) LIMIT ?)`,
          most,
        ),
      ),

    async auditReadTo() {
      const [row] = await database.queryOnce<{ number: number }>('SELECT number FROM audit_reader')
      return row?.number
    },

    setAuditReadTo: (number) =>
      database.write({}, function* () {
        yield* changes('UPDATE audit_reader SET number = ?', number)
      }),

    stopAuditReader: () =>
      database.write({}, function* () {
        yield* changes(`DELETE FROM audit_reader WHERE ${noActiveSubscription}`)
      }),
  }
}

function asWatched(row: WatchedRow): WatchedBot {
  const id = row.id as BotId
  return {
    id,
    ownerId: row.ownerId as UserId,
    name: row.name,
    hostingEnabled: row.hostingEnabled === 1,
    snapshot: asSnapshot(id, row),
    announced: row.state === null ? undefined : { state: row.state, sinceMs: row.sinceMs ?? 0 },
  }
}
