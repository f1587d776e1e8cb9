import type { AttemptStore, AuthorizationAttempt } from '../../../domain/authorization/attempts.ts'
import type { Database } from '../database.ts'
import { keepShare, keepTotal } from '../row-share.ts'
import { Rows } from '../rows.ts'
import { deleteSome, sql } from '../sql.ts'

type AttemptRow = Omit<AuthorizationAttempt, 'encodedState'> & { state: string | null }

const rows = new Rows<AttemptRow>(
  'authorization_attempts',
  'id, application_id, redirect_uri, scopes, state, code_challenge, skip_consent, expires_at_ms',
  { scopes: 'words', skipConsent: 'flag' },
)
const attempts = { table: 'authorization_attempts', key: 'id', age: 'created_at_ms' }

export function sqlAttempts(database: Database): AttemptStore {
  return {
    begin: (attempt, share, nowMs) =>
      database.write({}, function* () {
        const { encodedState: state, ...columns } = attempt
        yield* rows.insert({ ...columns, state: state ?? null, createdAtMs: nowMs, holder: share.holder })
        yield* keepShare(attempts, share, attempt.id)
      }),

    async find(id) {
      const [row] = await rows.query(database, sql`WHERE id = ${id}`)
      if (row === undefined) return undefined
      const { state, codeChallenge, ...attempt } = row
      return { ...attempt, encodedState: state ?? undefined, codeChallenge: codeChallenge ?? undefined }
    },

    prune: (beforeMs, limit) =>
      database.write({}, () => deleteSome('authorization_attempts', 'id', sql`expires_at_ms < ${beforeMs}`, limit)),

    trim: (total, limit) => database.write({}, () => keepTotal(attempts, total, limit)),
  }
}
