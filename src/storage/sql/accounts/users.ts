import type {
  Credentials,
  NewUser,
  PasswordChange,
  PinAttempt,
  PutUserOutcome,
  StoredEmail,
  StoredUserChange,
  Unlocking,
  User,
  UserStore,
} from '../../../domain/accounts/user-store.ts'
import type { Recording } from '../../../domain/audit/audit-event.ts'
import type { ChatPlatformId, UserId } from '../../../domain/ids.ts'
import type { Language } from '../../../domain/language.ts'
import { pinLockMaxMs, pinLockMs, wrongPinsBeforeLock } from '../../../domain/limits/limits.ts'
import type { Database } from '../database.ts'
import { changes, firstRow, rows, type SqlValue, type Work } from '../work.ts'
import { cancelPendingEmail, endAccessByPassword } from './account-access.ts'
import { queueMail } from './outgoing-mail.ts'

interface UserRow {
  id: string
  name: string
  email: string | null
  email_verified: number
  pending_email: string | null
  chat_platform_id: string | null
  code_hosting_id: string | null
  has_password: number
  has_pin: number
  created_at_ms: number
}

interface CredentialsRow {
  id: string
  password_hash: string | null
  pin_hash: string | null
}

interface PinRow {
  pin_hash: string | null
  pin_failures: number
  pin_locked_until_ms: number | null
}

const userColumns = `id, name, email, email_verified_at_ms IS NOT NULL AS email_verified, pending_email,
  chat_platform_id, code_hosting_id, password_hash IS NOT NULL AS has_password, pin_hash IS NOT NULL AS has_pin,
  created_at_ms`

export class SqlUsers implements UserStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  addUser(user: NewUser, nowMs: number): Promise<'added' | 'email-taken'> {
    return this.#database.write({}, function* () {
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
      if (user.mailedIn !== undefined) {
        const { address } = user.email
        yield* queueMail({ kind: 'verify-email', userId: user.id, address, language: user.mailedIn }, nowMs)
      }
      return 'added'
    })
  }

  putUser(id: UserId, change: StoredUserChange, nowMs: number): Promise<PutUserOutcome> {
    return this.#database.write({ row: `user ${id}` }, function* () {
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
    })
  }

  async countUsers(atMost: number): Promise<number> {
    return (await this.#database.read(() => rows('SELECT 1 FROM users LIMIT ?', atMost))).length
  }

  async findUser(id: UserId): Promise<User | undefined> {
    return asUser(await this.#database.read(() => firstRow(`SELECT ${userColumns} FROM users WHERE id = ?`, id)))
  }

  async findUserByEmail(emailKey: string): Promise<User | undefined> {
    return asUser(
      await this.#database.read(() => firstRow(`SELECT ${userColumns} FROM users WHERE email_key = ?`, emailKey)),
    )
  }

  async findCredentialsByEmail(emailKey: string): Promise<Credentials | undefined> {
    return asCredentials(
      await this.#database.read(() =>
        firstRow('SELECT id, password_hash, pin_hash FROM users WHERE email_key = ?', emailKey),
      ),
    )
  }

  async findCredentials(id: UserId): Promise<Credentials | undefined> {
    return asCredentials(
      await this.#database.read(() => firstRow('SELECT id, password_hash, pin_hash FROM users WHERE id = ?', id)),
    )
  }

  beginPinAttempt(id: UserId, nowMs: number): Promise<PinAttempt> {
    return this.#database.write({ row: `user ${id}` }, function* () {
      const row = yield* firstRow<PinRow>(
        'SELECT pin_hash, pin_failures, pin_locked_until_ms FROM users WHERE id = ?',
        id,
      )
      if (row === undefined || row.pin_hash === null) return { kind: 'not-set' }
      const lockedUntilMs = row.pin_locked_until_ms
      if (lockedUntilMs !== null && lockedUntilMs > nowMs) return { kind: 'locked', untilMs: lockedUntilMs }
      const failures = row.pin_failures + 1
      const locksUntilMs = failures % wrongPinsBeforeLock === 0 ? nowMs + lockMsAfter(failures) : null
      yield* changes(
        'UPDATE users SET pin_failures = ?, pin_locked_until_ms = ? WHERE id = ?',
        failures,
        locksUntilMs,
        id,
      )
      const triesLeft = (wrongPinsBeforeLock - (failures % wrongPinsBeforeLock)) % wrongPinsBeforeLock
      return { kind: 'begun', pinHash: row.pin_hash, triesLeft, locksUntilMs }
    })
  }

  completePinAttempt(id: UserId, pinHash: string, unlocking: Unlocking): Promise<boolean> {
    return this.#database.write({ row: `user ${id}` }, function* () {
      const changed = yield* changes(
        'UPDATE users SET pin_failures = 0, pin_locked_until_ms = NULL WHERE id = ? AND pin_hash = ?',
        id,
        pinHash,
      )
      if (changed === 0) return false
      yield* unlock(id, unlocking)
      return true
    })
  }

  setPin(id: UserId, pinHash: string, unlocking: Unlocking, nowMs: number, recording?: Recording<void>): Promise<void> {
    return this.#database.write({ row: `user ${id}`, recording }, function* () {
      yield* changes(
        `UPDATE users SET pin_hash = ?, pin_failures = 0, pin_locked_until_ms = NULL, updated_at_ms = ? WHERE id = ?`,
        pinHash,
        nowMs,
        id,
      )
      yield* changes('UPDATE sessions SET pin_unlocked_until_ms = NULL WHERE user_id = ?', id)
      yield* unlock(id, unlocking)
    })
  }

  changeName(id: UserId, name: string, nowMs: number): Promise<void> {
    return this.#database.write({ row: `user ${id}` }, function* () {
      yield* changes('UPDATE users SET name = ?, updated_at_ms = ? WHERE id = ?', name, nowMs, id)
    })
  }

  changePassword(
    { userId, from, to, keptSession }: PasswordChange,
    nowMs: number,
    recording?: Recording<'changed' | 'password-changed'>,
  ): Promise<'changed' | 'password-changed'> {
    return this.#database.write({ row: `user ${userId}`, recording }, function* () {
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
    })
  }

  changeEmail(
    id: UserId,
    email: StoredEmail,
    nowMs: number,
    recording?: Recording<'changed' | 'email-taken'>,
  ): Promise<'changed' | 'email-taken'> {
    return this.#database.write({ row: `user ${id}`, recording }, function* () {
      if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
      yield* changes(
        // An address keeps its verification if only its spelling changes.
        `UPDATE users SET email = ?1, email_verified_at_ms = CASE WHEN email_key = ?2 THEN email_verified_at_ms END,
             email_key = ?2, updated_at_ms = ?3 WHERE id = ?4`,
        email.address,
        email.key,
        nowMs,
        id,
      )
      yield* cancelPendingEmail(id)
      return 'changed'
    })
  }

  requestEmail(
    id: UserId,
    email: StoredEmail,
    language: Language,
    nowMs: number,
  ): Promise<'requested' | 'email-taken'> {
    return this.#database.write({ row: `user ${id}` }, function* () {
      if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
      yield* changes(
        'UPDATE users SET pending_email = ?1, pending_email_key = ?2 WHERE id = ?3 AND email_key IS DISTINCT FROM ?2',
        email.address,
        email.key,
        id,
      )
      yield* queueMail({ kind: 'verify-email', userId: id, address: email.address, language }, nowMs)
      return 'requested'
    })
  }

  dropPendingEmail(id: UserId): Promise<void> {
    return this.#database.write({ row: `user ${id}` }, () => cancelPendingEmail(id))
  }
}

function lockMsAfter(failures: number): number {
  return Math.min(pinLockMs * 2 ** (failures / wrongPinsBeforeLock - 1), pinLockMaxMs)
}

function* unlock(id: UserId, { sessionNumber, untilMs }: Unlocking): Work<void> {
  // The user must match too, because the session's number may have been reused since the session was read.
  yield* changes(
    'UPDATE sessions SET pin_unlocked_until_ms = ? WHERE number = ? AND user_id = ?',
    untilMs,
    sessionNumber,
    id,
  )
}

function* takenByAnother(
  column: 'email_key' | 'chat_platform_id' | 'code_hosting_id',
  value: string,
  id: UserId,
): Work<boolean> {
  return (yield* firstRow(`SELECT 1 FROM users WHERE ${column} = ? AND id <> ?`, value, id)) !== undefined
}

function asUser(found: unknown): User | undefined {
  if (found === undefined) return undefined
  const row = found as UserRow
  return {
    id: row.id as UserId,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    pendingEmail: row.pending_email,
    chatPlatformId: row.chat_platform_id as ChatPlatformId | null,
    codeHostingId: row.code_hosting_id,
    hasPassword: row.has_password === 1,
    hasPin: row.has_pin === 1,
    createdAtMs: row.created_at_ms,
  }
}

function asCredentials(found: unknown): Credentials | undefined {
  if (found === undefined) return undefined
  const row = found as CredentialsRow
  return { userId: row.id as UserId, passwordHash: row.password_hash, pinHash: row.pin_hash }
}
