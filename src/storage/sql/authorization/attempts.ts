import type { AttemptStore } from '../../../domain/authorization/attempts.ts'
import { type ApplicationId, asAttemptId } from '../../../domain/ids.ts'
import { changes, type Database } from '../database.ts'
import { keepShare, keepTotal } from '../row-share.ts'

interface AttemptRow {
  id: string
  applicationId: string
  redirectUri: string
  scopes: string
  state: string | null
  codeChallenge: string | null
  skipConsent: number
  expiresAtMs: number
}

const attempts = { table: 'authorization_attempts', key: 'id', age: 'created_at_ms' }

export function sqlAttempts(database: Database): AttemptStore {
  return {
    begin: (attempt, share, nowMs) =>
      database.write({}, function* () {
        yield* changes(
          `INSERT INTO authorization_attempts (id, application_id, redirect_uri, scopes, state, code_challenge,
             skip_consent, created_at_ms, expires_at_ms, holder) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          attempt.id,
          attempt.applicationId,
          attempt.redirectUri,
          attempt.scopes.join(' '),
          attempt.encodedState ?? null,
          attempt.codeChallenge ?? null,
          attempt.skipConsent ? 1 : 0,
          nowMs,
          attempt.expiresAtMs,
          share.holder,
        )
        yield* keepShare(attempts, share, attempt.id)
      }),

    async find(id) {
      const [row] = await database.queryOnce<AttemptRow>('SELECT * FROM authorization_attempts WHERE id = ?', id)
      if (row === undefined) return undefined
      return {
        id: asAttemptId(row.id),
        applicationId: row.applicationId as ApplicationId,
        redirectUri: row.redirectUri,
        scopes: row.scopes.split(' '),
        encodedState: row.state ?? undefined,
        codeChallenge: row.codeChallenge ?? undefined,
        skipConsent: row.skipConsent === 1,
        expiresAtMs: row.expiresAtMs,
      }
    },

    prune: (beforeMs, limit) =>
      database.write({}, () =>
        changes(
          `DELETE FROM authorization_attempts WHERE id IN
             (SELECT id FROM authorization_attempts WHERE expires_at_ms < ? LIMIT ?)`,
          beforeMs,
          limit,
        ),
      ),

    trim: (total, limit) => database.write({}, () => keepTotal(attempts, total, limit)),
  }
}
