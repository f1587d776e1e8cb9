import type { WatchedBot } from '../../../domain/bots/status/status-watch.ts'
import type { BotId } from '../../../domain/ids.ts'
import type { AnnouncementStore } from '../../../domain/subscriptions/bot-watch.ts'
import { asSnapshot, type BotRow, type SnapshotRow, snapshotColumns } from '../bots/bot-rows.ts'
import { recordStatusChanges } from '../bots/status-changes.ts'
import type { Database } from '../database.ts'
import { changesOfEach, put, raw, sql } from '../sql.ts'

type WatchedRow = SnapshotRow &
  Pick<BotRow, 'id' | 'ownerId' | 'name' | 'hostingEnabled'> & { state: string | null; sinceMs: number | null }

const watched = sql`SELECT id, owner_id, name, hosting_enabled, ${snapshotColumns}, state, since_ms
    FROM bots LEFT JOIN snapshots ON snapshots.bot_id = bots.id
      LEFT JOIN announced_states ON announced_states.bot_id = bots.id AND subject = 'connection'
    WHERE deleted_at_ms IS NULL`
const ofSubscribers = sql`AND owner_id IN (SELECT owner_id FROM subscriptions WHERE disabled_because IS NULL)`
const noActiveSubscription = sql`NOT EXISTS (SELECT 1 FROM subscriptions WHERE disabled_because IS NULL)`

export function sqlAnnouncements(database: Database): AnnouncementStore {
  return {
    async watchedBots(everyone, after, most) {
      const found = await database.queryOnce<WatchedRow>(
        sql`${watched} AND bots.id > ${after ?? ''} ${everyone ? raw('') : ofSubscribers}
          ORDER BY bots.id LIMIT ${most}`,
      )
      return found.map(asWatched)
    },

    announce: (announcements) =>
      database.write({}, function* () {
        const stored = yield* changesOfEach(
          announcements.map(({ botId, subject, previous, state, sinceMs }) => {
            const ending = sql`WHERE announced_states.state = ${previous ?? null}`
            return put('announced_states', ['botId', 'subject'], { botId, subject, state, sinceMs }, { ending })
          }),
        )
        const changed = announcements.filter(
          ({ subject, previous }, at) => subject === 'connection' && previous !== undefined && stored[at] === 1,
        )
        yield* recordStatusChanges(changed)
      }),

    async announcedOf(subject) {
      const found = await database.queryOnce<{ botId: BotId }>(
        sql`SELECT bot_id FROM announced_states WHERE subject = ${subject}`,
      )
      return found.map((row) => row.botId)
    },

    withdraw: (subject, botIds) =>
      database.write({}, function* () {
        yield* changesOfEach(
          botIds.map((botId) => sql`DELETE FROM announced_states WHERE subject = ${subject} AND bot_id = ${botId}`),
        )
      }),

    prune: (most) =>
      database.write({}, () =>
        sql`DELETE FROM announced_states WHERE (bot_id, subject) IN
          (SELECT bot_id, subject FROM announced_states JOIN bots ON bots.id = bot_id
          WHERE deleted_at_ms IS NOT NULL
          OR subject = 'queue' AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE disabled_because IS NULL
          AND (subscriptions.owner_id = bots.owner_id OR subscriptions.owner_id IS NULL)) LIMIT ${most})`.changes(),
      ),

    async auditReadTo() {
      const [row] = await database.queryOnce<{ number: number }>(sql`SELECT number FROM audit_reader`)
      return row?.number
    },

    setAuditReadTo: (number) => database.write({}, () => sql`UPDATE audit_reader SET number = ${number}`.run()),

    stopAuditReader: () => database.write({}, () => sql`DELETE FROM audit_reader WHERE ${noActiveSubscription}`.run()),
  }
}

function asWatched({ id, ownerId, name, hostingEnabled, state, sinceMs, ...snapshot }: WatchedRow): WatchedBot {
  return {
    id,
    ownerId,
    name,
    hostingEnabled: hostingEnabled === 1,
    snapshot: asSnapshot(id, snapshot),
    announced: state === null ? undefined : { state, sinceMs: sinceMs ?? 0 },
  }
}
