import type { Credentials, StoredUserChange, User, UserStore } from '../../../domain/accounts/user-store.ts'
import type { ChatPlatformId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, type SqlValue, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { newestFirst } from '../newest-first.ts'
import { cancelPendingEmail, endAccessByPassword, revokeTokensOf } from './account-access.ts'
import { queueMail } from './outgoing-mail.ts'
import { sqlPins } from './pins.ts'

export function sqlUsers(database: Database): UserStore {
  return {
    ...sqlAccountStatus(database),
    ...sqlEmails(database),
    ...sqlPins(database),

    addUser: (user, nowMs) =>
      database.write({}, function* () {
        if (yield* takenByAnother('email_key', user.email.key, user.id)) return 'email-taken'
        yield* changes(
          `INSERT INTO users (id, name, email, email_key, password_hash, created_at_ms, updated_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          user.id,
          user.name,
          user.email.address,
          user.email.key,
          user.passwordHash,
          nowMs,
          nowMs,
        )
        if (user.verificationLanguage !== undefined) {
          const { address } = user.email
          yield* queueMail(
            { kind: 'verify-email', userId: user.id, address, language: user.verificationLanguage },
            nowMs,
          )
        }
        return 'added'
      }),

    putUser: (id, change, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        const { email, passwordHash, pinHash, chatPlatformId, codeHostingId } = change
        if (email != null && (yield* takenByAnother('email_key', email.key, id))) return 'email-taken'
        if (chatPlatformId != null && (yield* takenByAnother('chat_platform_id', chatPlatformId, id))) {
          return 'chat-platform-id-taken'
        }
        if (codeHostingId != null && (yield* takenByAnother('code_hosting_id', codeHostingId, id))) {
          return 'code-hosting-id-taken'
        }
        const stored = yield* findUser(id)
        if (stored !== undefined && isUnchanged(stored, change)) return 'unchanged'
        const added = yield* changes(
          `INSERT INTO users (id, name, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
          id,
          change.name,
          nowMs,
          nowMs,
        )
        const set = (columns: string, ...values: SqlValue[]) =>
          changes(`UPDATE users SET ${columns} WHERE id = ?`, ...values, id)
        yield* changes('UPDATE users SET name = ?, updated_at_ms = ? WHERE id = ?', change.name, nowMs, id)
        if (email !== undefined) {
          const verifiedAtMs = email === null ? null : nowMs
          yield* set(
            'email = ?, email_key = ?, email_verified_at_ms = ?',
            email?.address ?? null,
            email?.key ?? null,
            verifiedAtMs,
          )
          yield* cancelPendingEmail(id)
        }
        if (chatPlatformId !== undefined) yield* set('chat_platform_id = ?', chatPlatformId)
        if (codeHostingId !== undefined) yield* set('code_hosting_id = ?', codeHostingId)
        if (passwordHash !== undefined) {
          yield* set('password_hash = ?', passwordHash)
          yield* endAccessByPassword(id)
        }
        if (pinHash !== undefined) {
          yield* set('pin_hash = ?, pin_failures = 0, pin_locked_until_ms = NULL', pinHash)
          yield* changes('UPDATE sessions SET pin_unlocked_until_ms = NULL WHERE user_id = ?', id)
        }
        return added === 1 ? 'created' : 'changed'
      }),

    async countUsers(atMost) {
      return (await database.read(() => rows('SELECT 1 FROM users LIMIT ?', atMost))).length
    },

    findUser: (id) => database.read(() => findUser(id)),

    async findUserByEmail(emailKey) {
      return asUser(
        await database.read(() => firstRow(`SELECT ${userColumns} FROM users WHERE email_key = ?`, emailKey)),
      )
    },

    async findCredentialsByEmail(emailKey) {
      return asCredentials(
        await database.read(() =>
          firstRow('SELECT id, password_hash, pin_hash FROM users WHERE email_key = ?', emailKey),
        ),
      )
    },

    async findCredentials(id) {
      return asCredentials(
        await database.read(() => firstRow('SELECT id, password_hash, pin_hash FROM users WHERE id = ?', id)),
      )
    },

    async listUsers({ emailKey, chatPlatformId, codeHostingId }, request) {
      const unique = { emailKey, chatPlatformId, codeHostingId }
      const { sql, values } = newestFirst(`SELECT ${userColumns} FROM users WHERE true`, 'users', unique, request)
      return (await database.queryOnce(sql, ...values)).flatMap((row) => asUser(row) ?? [])
    },

    changeName: (id, name, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* changes('UPDATE users SET name = ?1, updated_at_ms = ?2 WHERE id = ?3 AND name <> ?1', name, nowMs, id)
      }),

    changePassword: ({ userId, from, to, keptSession }, nowMs, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const changed = yield* changes(
          'UPDATE users SET password_hash = ?, updated_at_ms = ? WHERE id = ? AND password_hash IS NOT DISTINCT FROM ?',
          to,
          nowMs,
          userId,
          from,
        )
        if (changed === 0) return 'password-changed'
        yield* endAccessByPassword(userId, keptSession)
        return 'changed'
      }),
  }
}

/** Returns whether the change would store what is stored already. A hash is sent only for a new password or PIN. */
function isUnchanged(stored: User, { name, email, passwordHash, pinHash, ...ids }: StoredUserChange): boolean {
  const { chatPlatformId = stored.chatPlatformId, codeHostingId = stored.codeHostingId } = ids
  const sameEmail =
    email === undefined ||
    ((email?.address ?? null) === stored.email &&
      stored.emailVerified === (email !== null) &&
      stored.pendingEmail === null)
  return (
    sameEmail &&
    passwordHash === undefined &&
    pinHash === undefined &&
    name === stored.name &&
    chatPlatformId === stored.chatPlatformId &&
    codeHostingId === stored.codeHostingId
  )
}

interface UserRow {
  id: string
  name: string
  email: string | null
  emailVerified: number
  pendingEmail: string | null
  chatPlatformId: string | null
  codeHostingId: string | null
  hasPassword: number
  hasPin: number
  disabled: number
  createdAtMs: number
}

interface CredentialsRow {
  id: string
  passwordHash: string | null
  pinHash: string | null
}

const userColumns = `id, name, email, email_verified_at_ms IS NOT NULL AS email_verified, pending_email,
  chat_platform_id, code_hosting_id, password_hash IS NOT NULL AS has_password, pin_hash IS NOT NULL AS has_pin,
  disabled_at_ms IS NOT NULL AS disabled, created_at_ms`

function* findUser(id: UserId): Work<User | undefined> {
  return asUser(yield* firstRow(`SELECT ${userColumns} FROM users WHERE id = ?`, id))
}

function asUser(found: unknown): User | undefined {
  if (found === undefined) return undefined
  const row = found as UserRow
  return {
    id: row.id as UserId,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    pendingEmail: row.pendingEmail,
    chatPlatformId: row.chatPlatformId as ChatPlatformId | null,
    codeHostingId: row.codeHostingId,
    hasPassword: row.hasPassword === 1,
    hasPin: row.hasPin === 1,
    disabled: row.disabled === 1,
    createdAtMs: row.createdAtMs,
  }
}

function asCredentials(found: unknown): Credentials | undefined {
  if (found === undefined) return undefined
  const row = found as CredentialsRow
  return { userId: row.id as UserId, passwordHash: row.passwordHash, pinHash: row.pinHash }
}

function sqlEmails(database: Database): Pick<UserStore, 'changeEmail' | 'requestEmail' | 'dropPendingEmail'> {
  return {
    changeEmail: (id, email, nowMs, recording) =>
      database.write({ row: `user ${id}`, recording }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        const stored = yield* findUser(id)
        if (stored?.email === email.address && stored.pendingEmail === null) return 'unchanged'
        yield* changes(
          // The address stays verified if its key is unchanged, for example if only the case differs.
          `UPDATE users SET email = ?1, email_verified_at_ms = CASE WHEN email_key = ?2 THEN email_verified_at_ms END,
           email_key = ?2, updated_at_ms = ?3 WHERE id = ?4`,
          email.address,
          email.key,
          nowMs,
          id,
        )
        yield* cancelPendingEmail(id)
        return 'changed'
      }),

    requestEmail: (id, email, language, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        yield* changes(
          'UPDATE users SET pending_email = ?1, pending_email_key = ?2 WHERE id = ?3 AND email_key IS DISTINCT FROM ?2',
          email.address,
          email.key,
          id,
        )
        yield* queueMail({ kind: 'verify-email', userId: id, address: email.address, language }, nowMs)
        return 'requested'
      }),

    dropPendingEmail: (id) => database.write({ row: `user ${id}` }, () => cancelPendingEmail(id)),
  }
}

function* takenByAnother(
  column: 'email_key' | 'chat_platform_id' | 'code_hosting_id',
  value: string,
  id: UserId,
): Work<boolean> {
  return (yield* firstRow(`SELECT 1 FROM users WHERE ${column} = ? AND id <> ?`, value, id)) !== undefined
}

/** Methods of {@link UserStore} that end or restore a user's access. */
function sqlAccountStatus(database: Database): Pick<UserStore, 'setDisabled' | 'endSessions' | 'revokeTokens'> {
  return {
    setDisabled: (id, disabled, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        const stored = yield* findUser(id)
        if (stored === undefined) return 'unknown'
        if (stored.disabled === disabled) return 'unchanged'
        yield* changes('UPDATE users SET disabled_at_ms = ? WHERE id = ?', disabled ? nowMs : null, id)
        if (!disabled) return 'changed'
        yield* changes('DELETE FROM sessions WHERE user_id = ?', id)
        yield* revokeTokensOf(id, nowMs)
        return 'changed'
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
