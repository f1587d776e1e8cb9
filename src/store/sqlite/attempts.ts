import type { AttemptStore } from '../../domain/authorization/attempt-store.ts'
import { type ApplicationId, asAttemptId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface AttemptRow {
  id: string
  application_id: string
  redirect_uri: string
  scopes: string
  state: string | null
  code_challenge: string | null
  skip_consent: number
  expires_at_ms: number
}

/** Authorization attempts in SQLite. */
export function sqliteAttempts(file: SqliteFile): AttemptStore {
  const insert = file.statement(
    `INSERT INTO authorization_attempts (id, application_id, redirect_uri, scopes, state, code_challenge, skip_consent,
       created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = file.statement('SELECT * FROM authorization_attempts WHERE id = ?')
  const deleteExpired = file.statement(
    `DELETE FROM authorization_attempts WHERE id IN
       (SELECT id FROM authorization_attempts WHERE expires_at_ms < ? LIMIT ?)`,
  )
  return {
    begin: (attempt, nowMs) =>
      file.write(() => {
        insert.run(
          attempt.id,
          attempt.applicationId,
          attempt.redirectUri,
          attempt.scopes.join(' '),
          attempt.encodedState ?? null,
          attempt.codeChallenge ?? null,
          attempt.skipConsent ? 1 : 0,
          nowMs,
          attempt.expiresAtMs,
        )
      }),

    async find(id) {
      const row = select.get(id) as AttemptRow | undefined
      if (row === undefined) return undefined
      return {
        id: asAttemptId(row.id),
        applicationId: row.application_id as ApplicationId,
        redirectUri: row.redirect_uri,
        scopes: row.scopes.split(' '),
        encodedState: row.state ?? undefined,
        codeChallenge: row.code_challenge ?? undefined,
        skipConsent: row.skip_consent === 1,
        expiresAtMs: row.expires_at_ms,
      }
    },

    prune: (beforeMs, limit) => file.write(() => Number(deleteExpired.run(beforeMs, limit).changes)),
  }
}
