import { isDeepStrictEqual } from 'node:util'
import type { SubscriptionId, UserId } from '../../../domain/ids.ts'
import type { EventType } from '../../../domain/subscriptions/outgoing-event.ts'
import type {
  DisabledBecause,
  SigningSubscription,
  Subscription,
  SubscriptionStore,
} from '../../../domain/subscriptions/subscription-store.ts'
import { changes, type Database, firstRow, rows, type Work } from '../database.ts'
import { userExists } from '../existence.ts'

interface SubscriptionRow {
  id: string
  ownerId: string | null
  url: string
  types: string
  disabledBecause: DisabledBecause | null
  previousSecretEndsAtMs: number | null
  createdAtMs: number
}

type SigningRow = SubscriptionRow & {
  sealedSecret: Uint8Array
  previousSealedSecret: Uint8Array | null
  ownerDisabled: number
}

const columns = 'id, owner_id, url, types, disabled_because, previous_secret_ends_at_ms, created_at_ms'
const ownerDisabled =
  'EXISTS (SELECT 1 FROM users WHERE users.id = subscriptions.owner_id AND users.disabled_at_ms IS NOT NULL)'
const signingColumns = `${columns}, sealed_secret, previous_sealed_secret, ${ownerDisabled} AS owner_disabled`

export function sqlSubscriptions(database: Database): SubscriptionStore {
  return {
    add: ({ id, ownerId, url, types, enabled, sealedSecret }, { most, nowMs }, recording) =>
      database.write({ row: `subscriptions of ${ownerId}`, recording }, function* () {
        if (ownerId !== null && !(yield* userExists(ownerId))) return 'owner-unknown'
        if ((yield* find(id, undefined)) !== undefined) return 'id-taken'
        const owned = yield* rows(
          'SELECT 1 FROM subscriptions WHERE owner_id IS NOT DISTINCT FROM ? LIMIT ?',
          ownerId,
          most,
        )
        if (owned.length >= most) return 'too-many'
        yield* changes(
          `INSERT INTO subscriptions (id, owner_id, url, types, disabled_because, sealed_secret, created_at_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?)`,
          id,
          ownerId,
          url,
          JSON.stringify(types),
          enabled === false ? 'switched-off' : null,
          sealedSecret,
          nowMs,
        )
        yield* startAuditReader()
        return (yield* find(id, undefined)) as Subscription
      }),

    change: (id, ownerId, { url, types, enabled }, recording) =>
      database.write({ recording }, function* () {
        const stored = yield* find(id, ownerId)
        if (stored === undefined) return undefined
        const disabledBecause = enabled === undefined ? stored.disabledBecause : enabled ? null : 'switched-off'
        const subscription = { ...stored, url, types, disabledBecause }
        if (isDeepStrictEqual(subscription, stored)) return { kind: 'unchanged', subscription }
        yield* changes(
          'UPDATE subscriptions SET url = ?, types = ?, disabled_because = ? WHERE id = ?',
          url,
          JSON.stringify(types),
          disabledBecause,
          id,
        )
        yield* startAuditReader()
        return { kind: 'changed', subscription }
      }),

    rotateSecret: (id, ownerId, { sealed, previousEndsAtMs }, recording) =>
      database.write({ recording }, function* () {
        const stored = yield* find(id, ownerId)
        if (stored === undefined) return undefined
        yield* changes(
          `UPDATE subscriptions SET previous_sealed_secret = sealed_secret, previous_secret_ends_at_ms = ?,
             sealed_secret = ? WHERE id = ?`,
          previousEndsAtMs,
          sealed,
          id,
        )
        return { ...stored, previousSecretEndsAtMs: previousEndsAtMs }
      }),

    markGone: (id) =>
      database.write({}, function* () {
        yield* changes(
          "UPDATE subscriptions SET disabled_because = 'gone' WHERE id = ? AND disabled_because IS NULL",
          id,
        )
      }),

    remove: (id, ownerId, recording) =>
      database.write({ recording }, function* () {
        const subscription = yield* find(id, ownerId)
        if (subscription !== undefined) yield* changes('DELETE FROM subscriptions WHERE id = ?', id)
        return subscription
      }),

    find: (id, ownerId) => database.read(() => find(id, ownerId)),

    async findForSending(id) {
      const [row] = await database.queryOnce<SigningRow>(`SELECT ${signingColumns} FROM subscriptions WHERE id = ?`, id)
      return row && asSigning(row)
    },

    async listOwned(ownerId) {
      const found = await database.queryOnce<SubscriptionRow>(
        `SELECT ${columns} FROM subscriptions WHERE owner_id IS NOT DISTINCT FROM ? ORDER BY created_at_ms DESC, id`,
        ownerId,
      )
      return found.map(asSubscription)
    },

    async list(after, most) {
      const found = await database.queryOnce<SubscriptionRow>(
        `SELECT ${columns} FROM subscriptions WHERE id > ? ORDER BY id LIMIT ?`,
        after ?? '',
        most,
      )
      return found.map(asSubscription)
    },

    async receivers(ownerId, type) {
      const found = await database.queryOnce<SubscriptionRow>(
        `SELECT ${columns} FROM subscriptions
           WHERE (owner_id = ? OR owner_id IS NULL) AND disabled_because IS NULL AND NOT ${ownerDisabled}`,
        ownerId,
      )
      return found.map(asSubscription).flatMap(({ id, types }) => (types.includes(type) ? id : []))
    },

    async selectedTypes() {
      const found = await database.queryOnce<{ platform: number; types: string }>(
        `SELECT DISTINCT CASE WHEN owner_id IS NULL THEN 1 ELSE 0 END AS platform, types
           FROM subscriptions WHERE disabled_because IS NULL`,
      )
      const typesOf = (isPlatform: boolean) =>
        new Set(
          found.flatMap(({ platform, types }): EventType[] =>
            (platform === 1) === isPlatform ? JSON.parse(types) : [],
          ),
        )
      return { platform: typesOf(true), owners: typesOf(false) }
    },
  }
}

function* find(id: SubscriptionId, ownerId: UserId | undefined): Work<Subscription | undefined> {
  const row =
    ownerId === undefined
      ? yield* firstRow<SubscriptionRow>(`SELECT ${columns} FROM subscriptions WHERE id = ?`, id)
      : yield* firstRow<SubscriptionRow>(
          `SELECT ${columns} FROM subscriptions WHERE id = ? AND owner_id = ?`,
          id,
          ownerId,
        )
  return row && asSubscription(row)
}

/** Makes the audit reader start after the last audit event, unless it is running already. */
function* startAuditReader(): Work<void> {
  yield* changes(
    `INSERT INTO audit_reader (only_row, number) SELECT 1, coalesce(max(number), 0) FROM audit_events WHERE true
       ON CONFLICT (only_row) DO NOTHING`,
  )
}

function asSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id as SubscriptionId,
    ownerId: row.ownerId as UserId | null,
    url: row.url,
    types: JSON.parse(row.types),
    disabledBecause: row.disabledBecause,
    createdAtMs: row.createdAtMs,
    previousSecretEndsAtMs: row.previousSecretEndsAtMs,
  }
}

function asSigning(row: SigningRow): SigningSubscription {
  const current = { sealed: row.sealedSecret, endsAtMs: null }
  const previous = row.previousSealedSecret
  return {
    ...asSubscription(row),
    ownerDisabled: row.ownerDisabled === 1,
    sealedSecrets:
      previous === null ? [current] : [current, { sealed: previous, endsAtMs: row.previousSecretEndsAtMs }],
  }
}
