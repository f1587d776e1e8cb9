import type { AccessToken, GrantStore } from '../../domain/authorization/grant-store.ts'
import {
  isOfFamily,
  lifetimes,
  type NextTokens,
  type PresentedRefreshToken,
  type RotationOutcome,
} from '../../domain/authorization/token-family.ts'
import { accessTokenOf, type FamilyRow, familyOf, refreshStateOf, sqlConsents } from '../sql/authorization/grants.ts'
import { bigintArray, byteaArray, textArray } from './binary-array.ts'
import { BlockNumbers, numberBlocks } from './block-numbers.ts'
import {
  type Change,
  endAccessToken,
  endFamily,
  performChanges,
  redeem,
  rotate,
  selectAccessTokens,
  type TokenRow,
} from './grant-changes.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { TickBatch } from './tick-batch.ts'

interface Rotation {
  presented: PresentedRefreshToken
  next: NextTokens
  nowMs: number
}

/**
 * Rotates refresh tokens in the common case: the request has no `scope`, and `judgeRotation` would return `rotated`.
 * The conditions must be the same as in `judgeRotation`. Families that don't meet them stay unchanged, and
 * `judgeRotation` decides their outcome. Rows are sorted by family number, so that two batches don't deadlock. A
 * successful rotation is not audited.
 */
const rotateCommonCase = `WITH asked AS (
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

/** Locks consents in key order, so that nodes recording uses at the same time never deadlock. */
const recordUse = `WITH used AS (
    SELECT user_id, application_id, max(at_ms) AS at_ms
    FROM unnest($1::bigint[], $2::bigint[]) AS used (family, at_ms) JOIN token_families ON number = family
    GROUP BY user_id, application_id ORDER BY user_id, application_id
  )
  UPDATE consents AS c SET last_used_at_ms = at_ms FROM used
  WHERE c.user_id = used.user_id AND c.application_id = used.application_id AND coalesce(last_used_at_ms, 0) < at_ms`

/** Assumed maximum number of row-number blocks in use at the same time, across all nodes. Each node uses up to two. */
const blocksInUseMax = 16

/**
 * Authorizations in PostgreSQL. All look-ups made in one event loop tick share a statement, and so do ordinary
 * refreshes. Everything else that consumes or revokes tokens is batched into transactions that lock the family's row.
 * If two nodes try to consume the same token, only one succeeds.
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
    maxItems: 500,
  })
  const changes = new TickBatch<Change, unknown>({
    perform: (wanted) => database.pool.transaction((transaction) => performChanges(transaction, wanted)),
    maxItems: 200,
  })
  const rotations = new TickBatch<Rotation, RotationOutcome | undefined>({
    perform: async (wanted) => {
      const rows = await database.pool.rows<{ number: number; scopes: string }>(
        rotateCommonCase,
        rotationValues(wanted),
      )
      const scopes = new Map(rows.map((row) => [row.number, row.scopes]))
      return wanted.map(({ next }) => {
        const granted = scopes.get(next.accessNumber)
        return granted === undefined ? undefined : { kind: 'rotated', scopes: granted.split(' ') }
      })
    },
    maxItems: 200,
  })

  function change<Outcome>(wanted: Change<Outcome>): Promise<Outcome> {
    return changes.add(wanted as Change) as Promise<Outcome>
  }

  return {
    ...sqlConsents(database, blocksInUseMax * numberBlocks.access_token_blocks.size),

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
          if (client !== undefined && row.applicationId !== client) return undefined
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
      const [row] = await database.pool.rowsOnce<FamilyRow & { closed: number }>(
        `SELECT f.*, coalesce((SELECT deleted_at_ms IS NOT NULL OR disabled_at_ms IS NOT NULL FROM applications
           WHERE id = f.application_id), true) AS closed FROM token_families f WHERE number = $1`,
        [number],
      )
      return row && { ...familyOf(row), applicationClosed: row.closed === 1 }
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
