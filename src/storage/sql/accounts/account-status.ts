import type { UserStore } from '../../../domain/accounts/user-store.ts'
import type { Database } from '../database.ts'
import { userExists } from '../existence.ts'
import { changes } from '../work.ts'
import { revokeTokensOf } from './account-access.ts'

/** Methods of {@link UserStore} that end or restore a user's access. */
export function sqlAccountStatus(database: Database): Pick<UserStore, 'setDisabled' | 'endSessions' | 'revokeTokens'> {
  return {
    setDisabled: (id, disabled, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        if (!(yield* userExists(id))) return false
        if (!disabled) {
          yield* changes('UPDATE users SET disabled_at_ms = NULL WHERE id = ?', id)
          return true
        }
        yield* changes('UPDATE users SET disabled_at_ms = coalesce(disabled_at_ms, ?) WHERE id = ?', nowMs, id)
        yield* changes('DELETE FROM sessions WHERE user_id = ?', id)
        yield* revokeTokensOf(id, nowMs)
        return true
      }),

    endSessions: (id) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* changes('DELETE FROM sessions WHERE user_id = ?', id)
        yield* changes('DELETE FROM personal_tokens WHERE user_id = ?', id)
        return yield* userExists(id)
      }),

    revokeTokens: (id, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* revokeTokensOf(id, nowMs)
        return yield* userExists(id)
      }),
  }
}
