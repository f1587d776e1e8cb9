import type { Recording } from '../../domain/audit/audit-event.ts'
import type { AccessToken, Ended, GrantStore, RevocationCause } from '../../domain/authorization/grant-store.ts'
import {
  isOfFamily,
  judgeRedemption,
  judgeRotation,
  lifetimes,
  type NextTokens,
  type PresentedCode,
  type PresentedRefreshToken,
  type RotationOutcome,
} from '../../domain/authorization/token-family.ts'
import type { ApplicationId } from '../../domain/ids.ts'
import { type PresentedSecret, sameDigest } from '../../domain/secret.ts'
import { appendEvent } from '../sql/audit.ts'
import { sqlConsents } from '../sql/authorization/consents.ts'
import {
  type AccessTokenRow,
  accessTokenOf,
  type FamilyRow,
  familyOf,
  refreshStateOf,
} from '../sql/authorization/grant-rows.ts'
import { bigintArray, byteaArray, textArray } from './binary-array.ts'
import { BlockNumbers } from './block-numbers.ts'
import { type PostgresDatabase, perform } from './postgres-database.ts'
import type { Transaction } from './postgres-pool.ts'
import { TickBatch } from './tick-batch.ts'

interface Rotation {
  presented: PresentedRefreshToken
  next: NextTokens
  nowMs: number
}

/** What one call wants done to a family or an access token, once their rows are locked. */
interface Change<Outcome = unknown> {
  family?: number
  accessToken?: number
  judge(rows: LockedRows): Outcome
  recording?: Recording<Outcome> | undefined
}

type TokenRow = AccessTokenRow & { number: number; revoked_at_ms: number | null }

interface NewAccessToken {
  number: number
  digest: Uint8Array
  family: number
  scopes: string
  expiresAtMs: number
}

/** The rows of a batch, locked. What one change does to them, the next one sees. */
interface LockedRows {
  families: ReadonlyMap<number, FamilyRow>
  accessTokens: ReadonlyMap<number, TokenRow>
  changedFamilies: Set<FamilyRow>
  revokedAccessTokens: Map<number, number>
  newAccessTokens: NewAccessToken[]
}

const selectAccessTokens = `SELECT t.number, t.digest, t.family, t.scopes, t.expires_at_ms, f.application_id, f.user_id,
    t.revoked_at_ms, t.revoked_at_ms IS NOT NULL OR f.revoked_at_ms IS NOT NULL OR a.deleted_at_ms IS NOT NULL AS ended
  FROM access_tokens t JOIN token_families f ON f.number = t.family JOIN applications a ON a.id = f.application_id
  WHERE t.number = ANY($1)`
const lockFamilies = 'SELECT * FROM token_families WHERE number = ANY($1) ORDER BY number FOR UPDATE'
const lockAccessTokens = `${selectAccessTokens} ORDER BY t.number FOR UPDATE OF t`
const revokeAccessTokens = `UPDATE access_tokens AS t SET revoked_at_ms = c.at_ms
  FROM unnest($1::bigint[], $2::bigint[]) AS c (number, at_ms) WHERE t.number = c.number`
const updateFamilies = `UPDATE token_families AS f SET redeemed_at_ms = c.redeemed_at_ms,
    refresh_generation = c.refresh_generation, refresh_digest = c.refresh_digest,
    refresh_expires_at_ms = c.refresh_expires_at_ms, revoked_at_ms = c.revoked_at_ms,
    revoked_because = c.revoked_because, rotated_at_ms = c.rotated_at_ms, rotated_from = c.rotated_from,
    ends_at_ms = c.ends_at_ms
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
    $9::bytea[], $10::bigint[]) AS c (number, redeemed_at_ms, refresh_generation, refresh_digest, refresh_expires_at_ms,
    revoked_at_ms, revoked_because, rotated_at_ms, rotated_from, ends_at_ms) WHERE f.number = c.number`
const insertAccessTokens = `INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms)
  SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::text[], $5::bigint[])`
/**
 * A refresh as it mostly comes: all that was granted is asked for, and all is as `judgeRotation` wants it. The rest is
 * left as it is, for that to judge. Families go in the order of their numbers, so that two batches never wait for each other.
 *
 * Its conditions must match those under which `judgeRotation` returns `rotated` for a request without scopes. A
 * successful rotation is not audited.
 */
const rotateAsAsked = `WITH asked AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::bytea[], $7::bigint[],
      $8::bytea[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bigint[]) AS asked (family, generation, digest,
      application_id, now_ms, next_digest, next_expires_at_ms, origin, ends_at_ms, access_number, access_digest,
      access_expires_at_ms) ORDER BY family
  ), rotated AS (
    UPDATE token_families AS f SET refresh_generation = asked.generation + 1, refresh_digest = next_digest,
      refresh_expires_at_ms = next_expires_at_ms, rotated_at_ms = now_ms, rotated_from = origin,
      ends_at_ms = asked.ends_at_ms
    FROM asked WHERE f.number = asked.family AND f.refresh_generation = asked.generation
      AND f.refresh_digest = asked.digest AND f.application_id = asked.application_id
      AND f.revoked_at_ms IS NULL AND f.refresh_expires_at_ms > now_ms
    RETURNING access_number, access_digest, f.number, f.scopes, access_expires_at_ms
  )
  INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) SELECT * FROM rotated
  RETURNING number, scopes`

/** Locks consents in the order of their keys, so that nodes that store uses at once never deadlock. */
const recordUse = `WITH used AS (
    SELECT user_id, application_id, max(at_ms) AS at_ms
    FROM unnest($1::bigint[], $2::bigint[]) AS used (family, at_ms) JOIN token_families ON number = family
    GROUP BY user_id, application_id ORDER BY user_id, application_id
  )
  UPDATE consents AS c SET last_used_at_ms = at_ms FROM used
  WHERE c.user_id = used.user_id AND c.application_id = used.application_id AND coalesce(last_used_at_ms, 0) < at_ms`

/**
 * Authorizations in PostgreSQL. Look-ups of one turn are one statement; what spends or ends tokens is brought
 * together in transactions that lock their families' rows, so that of two at once one succeeds, on whichever node.
 * Those refreshes of a turn that ask for nothing special are one statement, too.
 */
export function postgresGrants(database: PostgresDatabase): GrantStore {
  const numbers = {
    family: new BlockNumbers(database, 'token_family_blocks'),
    'access-token': new BlockNumbers(database, 'access_token_blocks'),
  }
  const lookUps = new TickBatch<number, AccessToken | undefined>({
    perform: async (wanted) => {
      const rows = await database.pool.rowsOnce<TokenRow>(selectAccessTokens, [wanted])
      const found = new Map(rows.map((row) => [row.number, row]))
      return wanted.map((number) => {
        const row = found.get(number)
        return row && accessTokenOf(number, row)
      })
    },
    most: 500,
  })
  const changes = new TickBatch<Change, unknown>({
    perform: (wanted) => database.pool.transaction((transaction) => performChanges(transaction, wanted)),
    most: 200,
  })
  const rotations = new TickBatch<Rotation, RotationOutcome | undefined>({
    perform: async (wanted) => {
      const rows = await database.pool.rows<{ number: number; scopes: string }>(rotateAsAsked, rotationValues(wanted))
      const scopes = new Map(rows.map((row) => [row.number, row.scopes]))
      return wanted.map(({ next }) => {
        const granted = scopes.get(next.accessNumber)
        return granted === undefined ? undefined : { kind: 'rotated', scopes: granted.split(' ') }
      })
    },
    most: 200,
  })

  function change<Outcome>(wanted: Change<Outcome>): Promise<Outcome> {
    return changes.add(wanted as Change) as Promise<Outcome>
  }

  return {
    ...sqlConsents(database),

    async recordUse(lastUsedAtMs) {
      const values = [bigintArray([...lastUsedAtMs.keys()]), bigintArray([...lastUsedAtMs.values()])]
      await database.pool.rows(recordUse, values)
    },

    allotNumber: (of) => numbers[of].next(),

    redeemCode: (presented, next, nowMs) =>
      change({ family: presented.row, judge: (rows) => redeem(rows, presented, next, nowMs) }),

    async rotateRefreshToken(presented, next, nowMs) {
      const rotated = presented.scopes === undefined ? await rotations.add({ presented, next, nowMs }) : undefined
      return rotated ?? change({ family: presented.row, judge: (rows) => rotate(rows, presented, next, nowMs) })
    },

    revokeFamily: (number, cause, nowMs, recording) =>
      change({ family: number, judge: (rows) => endFamily(rows, number, cause, nowMs), recording }),

    revokeByRefreshToken: (presented, client, nowMs, recording) =>
      change({
        family: presented.row,
        judge(rows) {
          const row = rows.families.get(presented.row)
          if (row === undefined || !isOfFamily(refreshStateOf(row), presented)) return undefined
          if (client !== undefined && row.application_id !== client) return undefined
          return endFamily(rows, presented.row, 'revoke-request', nowMs)
        },
        recording,
      }),

    revokeAccessToken: (presented, client, nowMs, recording) =>
      change({
        accessToken: presented.row,
        judge: (rows) => endAccessToken(rows, presented, client, nowMs),
        recording,
      }),

    findAccessToken: (number) => lookUps.add(number),

    async findFamily(number) {
      const [row] = await database.pool.rowsOnce<FamilyRow & { deleted: number }>(
        `SELECT f.*, coalesce((SELECT deleted_at_ms IS NOT NULL FROM applications WHERE id = f.application_id), true)
           AS deleted FROM token_families f WHERE number = $1`,
        [number],
      )
      return row && { ...familyOf(row), applicationDeleted: row.deleted === 1 }
    },
  }
}

function rotationValues(wanted: readonly Rotation[]): readonly Buffer[] {
  const ends = wanted.map(({ nowMs }) => lifetimes(nowMs, true))
  return [
    bigintArray(wanted.map(({ presented }) => presented.row)),
    bigintArray(wanted.map(({ presented }) => presented.generation)),
    byteaArray(wanted.map(({ presented }) => presented.digest)),
    textArray(wanted.map(({ presented }) => presented.applicationId)),
    bigintArray(wanted.map(({ nowMs }) => nowMs)),
    byteaArray(wanted.map(({ next }) => next.refreshDigest)),
    bigintArray(ends.map(({ refreshExpiresAtMs }) => refreshExpiresAtMs)),
    byteaArray(wanted.map(({ presented }) => presented.from)),
    bigintArray(ends.map(({ endsAtMs }) => endsAtMs)),
    bigintArray(wanted.map(({ next }) => next.accessNumber)),
    byteaArray(wanted.map(({ next }) => next.accessDigest)),
    bigintArray(ends.map(({ accessExpiresAtMs }) => accessExpiresAtMs)),
  ]
}

/** Locks the rows of the changes, judges them in order, and writes the results and audit events: two round trips. */
async function performChanges(transaction: Transaction, wanted: readonly Change[]): Promise<readonly unknown[]> {
  const locked = await lockRows(transaction, wanted)
  const outcomes = wanted.map(({ judge }) => judge(locked))
  const events = wanted.map(({ recording }, index) => recording?.(outcomes[index]))
  await Promise.all([
    ...written(transaction, locked),
    ...events.map((event) => perform(transaction, appendEvent(event))),
  ])
  return outcomes
}

async function lockRows(transaction: Transaction, wanted: readonly Change[]): Promise<LockedRows> {
  const familyNumbers = wanted.flatMap(({ family }) => (family === undefined ? [] : [family]))
  const tokenNumbers = wanted.flatMap(({ accessToken }) => (accessToken === undefined ? [] : [accessToken]))
  // In the order of their numbers, so that two batches never wait for each other.
  const families = familyNumbers.length === 0 ? [] : transaction.rows<FamilyRow>(lockFamilies, [familyNumbers])
  const accessTokens = tokenNumbers.length === 0 ? [] : transaction.rows<TokenRow>(lockAccessTokens, [tokenNumbers])
  const [familyRows, tokenRows] = await Promise.all([families, accessTokens])
  return {
    families: new Map(familyRows.map((row) => [row.number, row])),
    accessTokens: new Map(tokenRows.map((row) => [row.number, row])),
    changedFamilies: new Set(),
    revokedAccessTokens: new Map(),
    newAccessTokens: [],
  }
}

function written(transaction: Transaction, rows: LockedRows): Promise<unknown>[] {
  const statements: Promise<unknown>[] = []
  const changed = [...rows.changedFamilies]
  if (changed.length > 0) {
    const values = [
      bigintArray(changed.map((row) => row.number)),
      bigintArray(changed.map((row) => row.redeemed_at_ms)),
      bigintArray(changed.map((row) => row.refresh_generation)),
      byteaArray(changed.map((row) => row.refresh_digest)),
      bigintArray(changed.map((row) => row.refresh_expires_at_ms)),
      bigintArray(changed.map((row) => row.revoked_at_ms)),
      textArray(changed.map((row) => row.revoked_because)),
      bigintArray(changed.map((row) => row.rotated_at_ms)),
      byteaArray(changed.map((row) => row.rotated_from)),
      bigintArray(changed.map((row) => row.ends_at_ms)),
    ]
    statements.push(transaction.rows(updateFamilies, values))
  }
  const made = rows.newAccessTokens
  if (made.length > 0) {
    const values = [
      bigintArray(made.map(({ number }) => number)),
      byteaArray(made.map(({ digest }) => digest)),
      bigintArray(made.map(({ family }) => family)),
      textArray(made.map(({ scopes }) => scopes)),
      bigintArray(made.map(({ expiresAtMs }) => expiresAtMs)),
    ]
    statements.push(transaction.rows(insertAccessTokens, values))
  }
  if (rows.revokedAccessTokens.size > 0) {
    const values = [[...rows.revokedAccessTokens.keys()], [...rows.revokedAccessTokens.values()]]
    statements.push(transaction.rows(revokeAccessTokens, values))
  }
  return statements
}

function redeem(rows: LockedRows, presented: PresentedCode, next: NextTokens, nowMs: number) {
  const row = rows.families.get(presented.row)
  const outcome = judgeRedemption(row && familyOf(row), presented, nowMs)
  if (outcome.kind !== 'redeemed' || row === undefined) return outcome
  const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, outcome.refreshable)
  row.redeemed_at_ms = nowMs
  row.refresh_generation = outcome.refreshable ? 1 : 0
  row.refresh_digest = outcome.refreshable ? next.refreshDigest : null
  row.refresh_expires_at_ms = refreshExpiresAtMs
  row.ends_at_ms = endsAtMs
  keep(rows, row, next, outcome.scopes, accessExpiresAtMs)
  return outcome
}

function rotate(rows: LockedRows, presented: PresentedRefreshToken, next: NextTokens, nowMs: number) {
  const row = rows.families.get(presented.row)
  const outcome = judgeRotation(row && refreshStateOf(row), presented, nowMs)
  if (outcome.kind !== 'rotated' || row === undefined) return outcome
  const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, true)
  row.refresh_generation = presented.generation + 1
  row.refresh_digest = next.refreshDigest
  row.refresh_expires_at_ms = refreshExpiresAtMs
  row.rotated_at_ms = nowMs
  row.rotated_from = presented.from
  row.ends_at_ms = endsAtMs
  keep(rows, row, next, outcome.scopes, accessExpiresAtMs)
  return outcome
}

function keep(rows: LockedRows, row: FamilyRow, next: NextTokens, scopes: readonly string[], expiresAtMs: number) {
  rows.changedFamilies.add(row)
  rows.newAccessTokens.push({
    number: next.accessNumber,
    digest: next.accessDigest,
    family: row.number,
    scopes: scopes.join(' '),
    expiresAtMs,
  })
}

function endFamily(rows: LockedRows, number: number, cause: RevocationCause, nowMs: number): Ended | undefined {
  const row = rows.families.get(number)
  if (row === undefined || row.revoked_at_ms !== null) return undefined
  row.revoked_at_ms = nowMs
  row.revoked_because = cause
  rows.changedFamilies.add(row)
  const { userId, applicationId } = familyOf(row)
  return { userId, applicationId }
}

function endAccessToken(
  rows: LockedRows,
  presented: PresentedSecret,
  client: ApplicationId | undefined,
  nowMs: number,
): Ended | undefined {
  const row = rows.accessTokens.get(presented.row)
  if (row === undefined || !sameDigest(row.digest, presented.digest)) return undefined
  const { userId, applicationId } = accessTokenOf(presented.row, row)
  if (client !== undefined && applicationId !== client) return undefined
  if (row.revoked_at_ms !== null) return undefined
  row.revoked_at_ms = nowMs
  rows.revokedAccessTokens.set(presented.row, nowMs)
  return { userId, applicationId }
}
