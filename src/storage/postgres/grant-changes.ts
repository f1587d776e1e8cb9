import type { Recording } from '../../domain/audit/audit.ts'
import type { Ended, RevocationCause } from '../../domain/authorization/grant-store.ts'
import {
  judgeRedemption,
  judgeRotation,
  lifetimes,
  type NextTokens,
  type PresentedCode,
  type PresentedRefreshToken,
} from '../../domain/authorization/token-family.ts'
import { type ApplicationId, type PresentedSecret, sameDigest } from '../../domain/ids-and-secrets.ts'
import { appendEvent } from '../sql/audit.ts'
import { type AccessTokenRow, accessTokenOf, type FamilyRow, familyOf } from '../sql/authorization/grants.ts'
import { bigintArray, byteaArray, textArray } from './binary-array.ts'
import { perform } from './postgres-database.ts'
import type { Transaction } from './postgres-pool.ts'

/** A change to a token family or an access token. `judge` runs once the rows are locked. */
export interface Change<Outcome = unknown> {
  family?: number
  accessToken?: number
  judge(rows: LockedRows): Outcome
  recording?: Recording<Outcome> | undefined
}

export type TokenRow = AccessTokenRow & { number: number; revokedAtMs: number | null }

/** The locked rows of a batch. Changes are applied in order, and each sees the effects of the earlier ones. */
export interface LockedRows {
  families: ReadonlyMap<number, FamilyRow>
  accessTokens: ReadonlyMap<number, TokenRow>
  changedFamilies: Set<FamilyRow>
  revokedAccessTokens: Map<number, number>
  newAccessTokens: Pick<TokenRow, 'number' | 'digest' | 'family' | 'scopes' | 'expiresAtMs'>[]
}

export const selectAccessTokens = `SELECT t.number, t.digest, t.family, t.scopes, t.expires_at_ms, f.application_id, f.user_id,
    t.revoked_at_ms, t.revoked_at_ms IS NOT NULL OR f.revoked_at_ms IS NOT NULL OR a.deleted_at_ms IS NOT NULL
      OR a.disabled_at_ms IS NOT NULL AS ended
  FROM access_tokens t JOIN token_families f ON f.number = t.family JOIN applications a ON a.id = f.application_id
  WHERE t.number = ANY($1)`
// Names the columns, because a prepared `*` fails once a newer release has added a column.
const lockFamilies = `SELECT number, application_id, user_id, account_session, scopes, redirect_uri, code_challenge,
    code_digest, code_expires_at_ms, redeemed_at_ms, refresh_generation, refresh_digest, refresh_expires_at_ms,
    revoked_at_ms, revoked_because, rotated_at_ms, rotated_from, ends_at_ms
  FROM token_families WHERE number = ANY($1) ORDER BY number FOR UPDATE`
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

/** Locks the rows, decides each change in order, and writes the results and audit events. Takes two round trips. */
export async function performChanges(transaction: Transaction, wanted: readonly Change[]): Promise<readonly unknown[]> {
  const locked = await lockRows(transaction, wanted)
  const outcomes = wanted.map(({ judge }) => judge(locked))
  const events = wanted.map(({ recording }, index) => recording?.(outcomes[index]))
  await Promise.all([
    ...writeRows(transaction, locked),
    ...events.map((event) => perform(transaction, appendEvent(event))),
  ])
  return outcomes
}

async function lockRows(transaction: Transaction, wanted: readonly Change[]): Promise<LockedRows> {
  const familyNumbers = wanted.flatMap(({ family }) => (family === undefined ? [] : [family]))
  const tokenNumbers = wanted.flatMap(({ accessToken }) => (accessToken === undefined ? [] : [accessToken]))
  // Both queries lock rows in ascending order of their numbers, so that two batches never deadlock.
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

function writeRows(transaction: Transaction, rows: LockedRows): Promise<unknown>[] {
  const statements: Promise<unknown>[] = []
  const changed = [...rows.changedFamilies]
  if (changed.length > 0) {
    const values = [
      bigintArray(changed.map((row) => row.number)),
      bigintArray(changed.map((row) => row.redeemedAtMs)),
      bigintArray(changed.map((row) => row.refreshGeneration)),
      byteaArray(changed.map((row) => row.refreshDigest)),
      bigintArray(changed.map((row) => row.refreshExpiresAtMs)),
      bigintArray(changed.map((row) => row.revokedAtMs)),
      textArray(changed.map((row) => row.revokedBecause)),
      bigintArray(changed.map((row) => row.rotatedAtMs)),
      byteaArray(changed.map((row) => row.rotatedFrom)),
      bigintArray(changed.map((row) => row.endsAtMs)),
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

export function redeem(rows: LockedRows, presented: PresentedCode, next: NextTokens, nowMs: number) {
  const row = rows.families.get(presented.row)
  const outcome = judgeRedemption(row && familyOf(row), presented, nowMs)
  if (outcome.kind !== 'redeemed' || row === undefined) return outcome
  row.redeemedAtMs = nowMs
  issueTokens(rows, row, { ...outcome, generation: 1 }, next, nowMs)
  return outcome
}

export function rotate(rows: LockedRows, presented: PresentedRefreshToken, next: NextTokens, nowMs: number) {
  const row = rows.families.get(presented.row)
  const outcome = judgeRotation(row && familyOf(row), presented, nowMs)
  if (outcome.kind !== 'rotated' || row === undefined) return outcome
  row.rotatedAtMs = nowMs
  row.rotatedFrom = presented.from
  issueTokens(rows, row, { ...outcome, generation: presented.generation + 1, refreshable: true }, next, nowMs)
  return outcome
}

function issueTokens(
  rows: LockedRows,
  row: FamilyRow,
  { scopes, generation, refreshable }: { scopes: readonly string[]; generation: number; refreshable: boolean },
  next: NextTokens,
  nowMs: number,
): void {
  const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, refreshable)
  row.refreshGeneration = refreshable ? generation : 0
  row.refreshDigest = refreshable ? next.refreshDigest : null
  row.refreshExpiresAtMs = refreshExpiresAtMs
  row.endsAtMs = endsAtMs
  rows.changedFamilies.add(row)
  const { accessNumber: number, accessDigest: digest } = next
  const expiresAtMs = accessExpiresAtMs
  rows.newAccessTokens.push({ number, digest, family: row.number, scopes: scopes.join(' '), expiresAtMs })
}

export function endFamily(rows: LockedRows, number: number, cause: RevocationCause, nowMs: number): Ended | undefined {
  const row = rows.families.get(number)
  if (row === undefined || row.revokedAtMs !== null) return undefined
  row.revokedAtMs = nowMs
  row.revokedBecause = cause
  rows.changedFamilies.add(row)
  const { userId, applicationId } = familyOf(row)
  return { userId, applicationId }
}

export function endAccessToken(
  rows: LockedRows,
  presented: PresentedSecret,
  client: ApplicationId | undefined,
  nowMs: number,
): Ended | undefined {
  const row = rows.accessTokens.get(presented.row)
  if (row === undefined || !sameDigest(row.digest, presented.digest)) return undefined
  const { userId, applicationId } = accessTokenOf(presented.row, row)
  if (client !== undefined && applicationId !== client) return undefined
  if (row.revokedAtMs !== null) return undefined
  row.revokedAtMs = nowMs
  rows.revokedAccessTokens.set(presented.row, nowMs)
  return { userId, applicationId }
}
