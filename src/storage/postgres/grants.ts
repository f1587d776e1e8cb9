import type { AccessToken, GrantStore } from '../../domain/authorization/grant-store.ts'
import {
  isOfFamily,
  judgeRotation,
  lifetimes,
  type NextTokens,
  type PresentedRefreshToken,
  type RotationOutcome,
} from '../../domain/authorization/token-family.ts'
import { accessTokenOf, type FamilyRow, familyOf, sqlConsents } from '../sql/authorization/grants.ts'
import { TickBatch } from './batches.ts'
import { bigintArray, byteaArray, textArray } from './binary-array.ts'
import { blockNumbers, numberBlocks } from './block-numbers.ts'
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
import type { PostgresPool } from './postgres-pool.ts'

interface Rotation {
  presented: PresentedRefreshToken
  next: NextTokens
  nowMs: number
}

type ReadFamily = Omit<FamilyRow, 'rotatedAtMs' | 'rotatedFrom'> & { version: number }

// Leaves out what only matters for a refused token.
const selectFamilies = `SELECT number, application_id, scopes, refresh_generation, refresh_digest, refresh_expires_at_ms,
    revoked_at_ms, xmin::text::bigint AS version
  FROM token_families WHERE number = ANY($1::bigint[])`
/** Rotates families that have not changed since they were read. Sorted, so that two batches don't deadlock. */
const rotateUnchanged = `WITH decided AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bytea[],
      $8::bigint[], $9::bigint[], $10::bytea[], $11::text[], $12::bigint[]) AS decided (family, version, generation,
      next_digest, next_expires_at_ms, now_ms, origin, ends_at_ms, access_number, access_digest, scopes,
      access_expires_at_ms) ORDER BY family
  ), rotated AS (
    UPDATE token_families AS f SET refresh_generation = generation, refresh_digest = next_digest,
      refresh_expires_at_ms = next_expires_at_ms, rotated_at_ms = now_ms, rotated_from = origin,
      ends_at_ms = decided.ends_at_ms
    FROM decided WHERE f.number = family AND f.xmin = version::text::xid
    RETURNING access_number, access_digest, f.number, decided.scopes, access_expires_at_ms
  )
  INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) SELECT * FROM rotated RETURNING number`

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
    family: blockNumbers(database, 'token_family_blocks'),
    'access-token': blockNumbers(database, 'access_token_blocks'),
  }
  const lookUps = new TickBatch<number, AccessToken | undefined>({
    perform: async (wanted) => {
      const rows = await database.pool.rows<TokenRow>(selectAccessTokens, [wanted])
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
    perform: (wanted) => rotateWithoutLocks(database.pool, wanted),
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

    allotNumber: (of) => numbers[of](),

    redeemCode: (presented, next, nowMs) =>
      change({ family: presented.row, judge: (rows) => redeem(rows, presented, next, nowMs) }),

    async rotateRefreshToken(presented, next, nowMs) {
      const rotated = await rotations.add({ presented, next, nowMs })
      return rotated ?? change({ family: presented.row, judge: (rows) => rotate(rows, presented, next, nowMs) })
    },

    revokeFamily: (number, cause, nowMs, recording) =>
      change({ family: number, judge: (rows) => endFamily(rows, number, cause, nowMs), recording }),

    revokeByRefreshToken: (presented, client, nowMs, recording) =>
      change({
        family: presented.row,
        judge(rows) {
          const row = rows.families.get(presented.row)
          if (row === undefined || !isOfFamily(familyOf(row), presented)) return undefined
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
  }
}

/** Rotates families that don't change while read and written. Others get no outcome: a refusal needs a locked row. */
async function rotateWithoutLocks(
  pool: PostgresPool,
  wanted: readonly Rotation[],
): Promise<readonly (RotationOutcome | undefined)[]> {
  const rows = await pool.rows<ReadFamily>(selectFamilies, [bigintArray(wanted.map(({ presented }) => presented.row))])
  const families = new Map(rows.map((row) => [row.number, row]))
  const outcomes = wanted.map(({ presented, nowMs }) => {
    const row = families.get(presented.row)
    const state = row && familyOf({ ...row, rotatedAtMs: null, rotatedFrom: null })
    return judgeRotation(state, presented, nowMs)
  })
  const decided = wanted.flatMap((rotation, at): Decided[] => {
    const [outcome, family] = [outcomes[at], families.get(rotation.presented.row)]
    return outcome?.kind !== 'rotated' || family === undefined ? [] : [{ ...rotation, outcome, family }]
  })
  if (decided.length === 0) return wanted.map(() => undefined)
  const stored = await pool.rows<{ number: number }>(rotateUnchanged, valuesOf(decided))
  const numbers = new Set(stored.map(({ number }) => number))
  return wanted.map(({ next }, at) => (numbers.has(next.accessNumber) ? outcomes[at] : undefined))
}

interface Decided extends Rotation {
  outcome: RotationOutcome & { kind: 'rotated' }
  family: ReadFamily
}

function valuesOf(decided: readonly Decided[]): readonly Buffer[] {
  const ends = decided.map(({ nowMs }) => lifetimes(nowMs, true))
  return [
    bigintArray(decided.map(({ presented }) => presented.row)),
    bigintArray(decided.map(({ family }) => family.version)),
    bigintArray(decided.map(({ presented }) => presented.generation + 1)),
    byteaArray(decided.map(({ next }) => next.refreshDigest)),
    bigintArray(ends.map(({ refreshExpiresAtMs }) => refreshExpiresAtMs)),
    bigintArray(decided.map(({ nowMs }) => nowMs)),
    byteaArray(decided.map(({ presented }) => presented.from)),
    bigintArray(ends.map(({ endsAtMs }) => endsAtMs)),
    bigintArray(decided.map(({ next }) => next.accessNumber)),
    byteaArray(decided.map(({ next }) => next.accessDigest)),
    textArray(decided.map(({ outcome }) => outcome.scopes.join(' '))),
    bigintArray(ends.map(({ accessExpiresAtMs }) => accessExpiresAtMs)),
  ]
}
