import { isDeepStrictEqual } from 'node:util'
import type { WatchedBot } from '../../../domain/bots/status/status-watch.ts'
import type { BotId, SubscriptionId, UserId } from '../../../domain/ids-and-secrets.ts'
import type { AnnouncementStore } from '../../../domain/subscriptions/bot-watch.ts'
import type { EventType } from '../../../domain/subscriptions/outgoing-event.ts'
import type { Subscription, SubscriptionStore } from '../../../domain/subscriptions/subscription-store.ts'
import { asSnapshot, type BotRow, type SnapshotRow, snapshotColumns } from '../bots/bot-rows.ts'
import { recordStatusChanges } from '../bots/status-history.ts'
import { Rows, userExists } from '../rows.ts'
import { changesOfEach, type Database, put, raw, sql, type Work } from '../sql.ts'

type SigningRow = Subscription & {
  ownerDisabled: boolean
  sealedSecret: Uint8Array
  previousSealedSecret: Uint8Array | null
  sealedUrl: Uint8Array | null
}

const columns =
  'id, owner_id, url, types, format, language, disabled_because, created_at_ms, previous_secret_ends_at_ms'
const ownerDisabled =
  'EXISTS (SELECT 1 FROM users WHERE users.id = subscriptions.owner_id AND users.disabled_at_ms IS NOT NULL)'
const subscriptions = new Rows<Subscription>('subscriptions', columns, { types: 'json' })
const signing = new Rows<SigningRow>(
  'subscriptions',
  `${columns}, sealed_secret, previous_sealed_secret, sealed_url, ${ownerDisabled} AS owner_disabled`,
  { types: 'json', ownerDisabled: 'flag' },
)
const selections = new Rows<{ platform: boolean; types: EventType[] }>(
  'subscriptions',
  'DISTINCT owner_id IS NULL AS platform, types',
  { platform: 'flag', types: 'json' },
)

export function sqlSubscriptions(database: Database): SubscriptionStore {
  return {
    add: ({ id, ownerId, enabled, sealedUrl = null, ...others }, { most, nowMs }, recording) =>
      database.write({ row: `subscriptions of ${ownerId}`, recording }, function* () {
        if (ownerId !== null && !(yield* userExists(ownerId))) return 'owner-unknown'
        if ((yield* find(id, undefined)) !== undefined) return 'id-taken'
        const owned = yield* sql`SELECT 1 FROM subscriptions WHERE owner_id IS NOT DISTINCT FROM ${ownerId}
          LIMIT ${most}`.rows()
        if (owned.length >= most) return 'too-many'
        const disabledBecause = enabled === false ? 'switched-off' : null
        yield* signing.insert({ id, ownerId, ...others, sealedUrl, disabledBecause, createdAtMs: nowMs })
        yield* startAuditReader()
        return (yield* find(id, undefined)) as Subscription
      }),

    change: (id, ownerId, { enabled, sealedUrl, ...change }, recording) =>
      database.write({ recording }, function* () {
        const stored = yield* find(id, ownerId)
        if (stored === undefined) return undefined
        const disabledBecause = enabled === undefined ? stored.disabledBecause : enabled ? null : 'switched-off'
        const subscription = { ...stored, ...change, disabledBecause }
        if (sealedUrl === undefined && isDeepStrictEqual(subscription, stored))
          return { kind: 'unchanged', subscription }
        const changed = { ...change, disabledBecause, ...(sealedUrl !== undefined && { sealedUrl }) }
        yield* signing.update(changed, sql`WHERE id = ${id}`)
        yield* startAuditReader()
        return { kind: 'changed', subscription }
      }),

    rotateSecret: (id, ownerId, { sealed, previousEndsAtMs }, recording) =>
      database.write({ recording }, function* () {
        const stored = yield* find(id, ownerId)
        if (stored === undefined) return undefined
        yield* sql`UPDATE subscriptions SET previous_sealed_secret = sealed_secret,
          previous_secret_ends_at_ms = ${previousEndsAtMs},
          sealed_secret = ${sealed} WHERE id = ${id}`.changes()
        return { ...stored, previousSecretEndsAtMs: previousEndsAtMs }
      }),

    markGone: ({ id, url, sealedUrl }) =>
      database.write({}, () =>
        sql`UPDATE subscriptions SET disabled_because = 'gone' WHERE id = ${id} AND disabled_because IS NULL
          AND url = ${url} AND sealed_url IS NOT DISTINCT FROM ${sealedUrl}`.run(),
      ),

    remove: (id, ownerId, recording) =>
      database.write({ recording }, function* () {
        const subscription = yield* find(id, ownerId)
        if (subscription !== undefined) yield* sql`DELETE FROM subscriptions WHERE id = ${id}`.changes()
        return subscription
      }),

    find: (id, ownerId) => database.read(() => find(id, ownerId)),

    async findForSending(id) {
      const row = await signing.find(database, sql`WHERE id = ${id}`)
      if (row === undefined) return undefined
      const { sealedSecret, previousSealedSecret, ...subscription } = row
      const current = { sealed: sealedSecret, endsAtMs: null }
      if (previousSealedSecret === null) return { ...subscription, sealedSecrets: [current] }
      const previous = { sealed: previousSealedSecret, endsAtMs: row.previousSecretEndsAtMs }
      return { ...subscription, sealedSecrets: [current, previous] }
    },

    listOwned: (ownerId) =>
      subscriptions.query(
        database,
        sql`WHERE owner_id IS NOT DISTINCT FROM ${ownerId} ORDER BY created_at_ms DESC, id`,
      ),

    list: (after, most) => subscriptions.query(database, sql`WHERE id > ${after ?? ''} ORDER BY id LIMIT ${most}`),

    async receivers(ownerId, type) {
      const active = await subscriptions.query(
        database,
        sql`WHERE (owner_id = ${ownerId} OR owner_id IS NULL) AND disabled_because IS NULL AND NOT ${raw(ownerDisabled)}`,
      )
      return active.flatMap(({ id, types }) => (types.includes(type) ? id : []))
    },

    async selectedTypes() {
      const found = await selections.query(database, sql`WHERE disabled_because IS NULL`)
      const typesOf = (isPlatform: boolean) =>
        new Set(found.flatMap(({ platform, types }) => (platform === isPlatform ? types : [])))
      return { platform: typesOf(true), owners: typesOf(false) }
    },
  }
}

function find(id: SubscriptionId, ownerId: UserId | undefined): Work<Subscription | undefined> {
  const owned = ownerId === undefined ? raw('') : sql`AND owner_id = ${ownerId}`
  return subscriptions.first(sql`WHERE id = ${id} ${owned}`)
}

/** Makes the audit reader start after the last audit event, unless it is running already. */
function* startAuditReader(): Work<void> {
  yield* sql`INSERT INTO audit_reader (only_row, number) SELECT 1, coalesce(max(number), 0) FROM audit_events WHERE true
       ON CONFLICT (only_row) DO NOTHING`.changes()
}

type WatchedRow = SnapshotRow &
  Pick<BotRow, 'id' | 'ownerId' | 'name' | 'hostingEnabled' | 'createdAtMs'> & {
    state: string | null
    sinceMs: number | null
  }

const watched = sql`SELECT id, owner_id, name, hosting_enabled, created_at_ms, ${snapshotColumns}, state, since_ms
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

function asWatched(row: WatchedRow): WatchedBot {
  const { id, ownerId, name, createdAtMs, state, sinceMs } = row
  const hostingEnabled = row.hostingEnabled === 1
  const announced = state === null ? undefined : { state, sinceMs: sinceMs ?? 0 }
  return { id, ownerId, name, hostingEnabled, createdAtMs, snapshot: asSnapshot(id, row), announced }
}
