import type { UserStore } from '../../../domain/accounts/user-store.ts'
import type { Database } from '../database.ts'
import { newestFirst } from '../newest-first.ts'
import { changes, firstRow, rows, type SqlValue } from '../work.ts'
import { cancelPendingEmail, endAccessByPassword } from './account-access.ts'
import { sqlAccountStatus } from './account-status.ts'
import { sqlEmails, takenByAnother } from './emails.ts'
import { queueMail } from './outgoing-mail.ts'
import { sqlPins } from './pins.ts'
import { asCredentials, asUser, userColumns } from './user-rows.ts'

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

    async findUser(id) {
      return asUser(await database.read(() => firstRow(`SELECT ${userColumns} FROM users WHERE id = ?`, id)))
    },

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
      const unique = { email_key: emailKey, chat_platform_id: chatPlatformId, code_hosting_id: codeHostingId }
      const { sql, values } = newestFirst(`SELECT ${userColumns} FROM users WHERE true`, 'users', unique, request)
      return (await database.queryOnce(sql, ...values)).flatMap((row) => asUser(row) ?? [])
    },

    changeName: (id, name, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* changes('UPDATE users SET name = ?, updated_at_ms = ? WHERE id = ?', name, nowMs, id)
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
