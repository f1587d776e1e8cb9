import type { EndedByFirstProof } from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type {
  Credentials,
  StoredEmail,
  StoredUserChange,
  User,
  UserStore,
} from '../../../domain/accounts/user-store.ts'
import type { RuntimeId, SubscriptionId, UserId } from '../../../domain/ids-and-secrets.ts'
import { newestFirst, Rows, userExists } from '../rows.ts'
import { assigned, type Database, insertInto, raw, type Sql, sql, type Work } from '../sql.ts'
import { queueMail } from './outgoing-mail.ts'
import { sqlPins } from './sessions.ts'

const users = new Rows<User>(
  'users',
  `id, name, email, email_verified_at_ms IS NOT NULL AS email_verified, pending_email, chat_platform_id,
    code_hosting_id, password_hash IS NOT NULL AS has_password, pin_hash IS NOT NULL AS has_pin,
    disabled_at_ms IS NOT NULL AS disabled, created_at_ms`,
  { emailVerified: 'flag', hasPassword: 'flag', hasPin: 'flag', disabled: 'flag' },
)

export function sqlUsers(database: Database): UserStore {
  async function findCredentials(condition: Sql): Promise<Credentials | undefined> {
    const statement = sql`SELECT id AS user_id, password_hash, pin_hash FROM users WHERE ${condition}`
    return (await database.queryOnce<Credentials>(statement))[0]
  }

  return {
    ...sqlAccountStatus(database),
    ...sqlEmails(database),
    ...sqlPins(database),

    addUser: (user, nowMs) =>
      database.write({}, function* () {
        if (yield* takenByAnother('email_key', user.email.key, user.id)) return 'email-taken'
        yield* insertUser(user, nowMs)
        const { verificationLanguage: language } = user
        if (language !== undefined) {
          yield* queueMail({ kind: 'verify-email', userId: user.id, address: user.email.address, language }, nowMs)
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
        const stored = yield* users.first(sql`WHERE id = ${id}`)
        if (stored !== undefined && isUnchanged(stored, change)) return 'unchanged'
        const added = yield* insertInto(
          'users',
          { id, name: change.name, createdAtMs: nowMs, updatedAtMs: nowMs },
          sql`ON CONFLICT (id) DO NOTHING`,
        ).changes()
        const newEmail = { email: email?.address ?? null, emailKey: email?.key ?? null }
        yield* sql`UPDATE users SET ${assigned({
          name: change.name,
          ...(email !== undefined && { ...newEmail, emailVerifiedAtMs: email === null ? null : nowMs }),
          chatPlatformId,
          codeHostingId,
          passwordHash,
          ...(pinHash !== undefined && { pinHash, pinFailures: 0, pinLockedUntilMs: null }),
          updatedAtMs: nowMs,
        })} WHERE id = ${id}`.run()
        if (email !== undefined) yield* cancelPendingEmail(id)
        if (passwordHash !== undefined) yield* endAccessByPassword(id)
        if (pinHash !== undefined)
          yield* sql`UPDATE sessions SET pin_unlocked_until_ms = NULL WHERE user_id = ${id}`.run()
        return added === 1 ? 'created' : 'changed'
      }),

    async countUsers(atMost) {
      return (await database.read(() => sql`SELECT 1 FROM users LIMIT ${atMost}`.rows())).length
    },

    findUser: (id) => database.read(() => users.first(sql`WHERE id = ${id}`)),

    findUserByEmail: (emailKey) => users.find(database, sql`WHERE email_key = ${emailKey}`),

    findCredentialsByEmail: (emailKey) => findCredentials(sql`email_key = ${emailKey}`),

    findCredentials: (id) => findCredentials(sql`id = ${id}`),

    async listUsers({ emailKey, chatPlatformId, codeHostingId }, request) {
      const equal = { emailKey, chatPlatformId, codeHostingId }
      return users.of(await database.queryOnce(newestFirst(users.select(sql`WHERE true`), 'users', equal, request)))
    },

    changeName: (id, name, nowMs) =>
      database.write({ row: `user ${id}` }, () =>
        sql`UPDATE users SET name = ${name}, updated_at_ms = ${nowMs}
          WHERE id = ${id} AND name <> ${name}`.run(),
      ),

    changePassword: ({ userId, from, to, keptSession }, nowMs, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const changed = yield* sql`UPDATE users SET password_hash = ${to}, updated_at_ms = ${nowMs}
          WHERE id = ${userId} AND password_hash IS NOT DISTINCT FROM ${from}`.changes()
        if (changed === 0) return 'password-changed'
        yield* endAccessByPassword(userId, keptSession)
        return 'changed'
      }),
  }
}

/** Inserts the user. The caller has checked that no other user has the email address. */
export function* insertUser(
  { id, name, email, passwordHash }: { id: UserId; name: string; email: StoredEmail | null; passwordHash?: string },
  nowMs: number,
  emailVerifiedAtMs: number | null = null,
): Work<void> {
  const address = { email: email?.address ?? null, emailKey: email?.key ?? null, emailVerifiedAtMs }
  yield* insertInto('users', { id, name, ...address, passwordHash, createdAtMs: nowMs, updatedAtMs: nowMs }).changes()
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

function sqlEmails(database: Database): Pick<UserStore, 'changeEmail' | 'requestEmail' | 'dropPendingEmail'> {
  return {
    changeEmail: (id, email, nowMs, recording) =>
      database.write({ row: `user ${id}`, recording }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        const stored = yield* users.first(sql`WHERE id = ${id}`)
        if (stored?.email === email.address && stored.pendingEmail === null) return 'unchanged'
        yield* sql`UPDATE users SET email = ${email.address}, email_verified_at_ms = CASE WHEN email_key = ${email.key}
          THEN email_verified_at_ms END,
          email_key = ${email.key}, updated_at_ms = ${nowMs} WHERE id = ${id}`.changes()
        yield* cancelPendingEmail(id)
        return 'changed'
      }),

    requestEmail: (id, email, language, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        yield* sql`UPDATE users SET pending_email = ${email.address}, pending_email_key = ${email.key}
          WHERE id = ${id} AND email_key IS DISTINCT FROM ${email.key}`.changes()
        yield* queueMail({ kind: 'verify-email', userId: id, address: email.address, language }, nowMs)
        return 'requested'
      }),

    dropPendingEmail: (id) => database.write({ row: `user ${id}` }, () => cancelPendingEmail(id)),
  }
}

function takenByAnother(
  column: 'email_key' | 'chat_platform_id' | 'code_hosting_id',
  value: string,
  id: UserId,
): Work<boolean> {
  return sql`SELECT 1 FROM users WHERE ${raw(column)} = ${value} AND id <> ${id}`.exists()
}

function sqlAccountStatus(database: Database): Pick<UserStore, 'setDisabled' | 'endSessions' | 'revokeTokens'> {
  return {
    setDisabled: (id, disabled, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        const stored = yield* users.first(sql`WHERE id = ${id}`)
        if (stored === undefined) return 'unknown'
        if (stored.disabled === disabled) return 'unchanged'
        yield* sql`UPDATE users SET disabled_at_ms = ${disabled ? nowMs : null} WHERE id = ${id}`.changes()
        if (!disabled) return 'changed'
        yield* sql`DELETE FROM sessions WHERE user_id = ${id}`.changes()
        yield* revokeTokensOf(id, nowMs)
        return 'changed'
      }),

    endSessions: (id) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* sql`DELETE FROM sessions WHERE user_id = ${id}`.changes()
        yield* sql`DELETE FROM personal_tokens WHERE user_id = ${id}`.changes()
        return yield* userExists(id)
      }),

    revokeTokens: (id, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        yield* revokeTokensOf(id, nowMs)
        return yield* userExists(id)
      }),
  }
}

/**
 * Revokes everything that must not survive a password change: all sessions except the one to keep, personal access
 * tokens, the password reset link, and a pending change of the email address, which someone with the old password may
 * have requested.
 */
export function* endAccessByPassword(userId: string, keptSession?: number): Work<void> {
  if (keptSession === undefined) yield* sql`DELETE FROM sessions WHERE user_id = ${userId}`.changes()
  else yield* sql`DELETE FROM sessions WHERE user_id = ${userId} AND number <> ${keptSession}`.changes()
  yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`.changes()
  yield* sql`DELETE FROM one_time_links WHERE user_id = ${userId} AND purpose = 'reset-password'`.changes()
  yield* cancelPendingEmail(userId)
}

/** Cancels a pending change of email address. A link that verifies the current address stays valid. */
function* cancelPendingEmail(userId: string): Work<void> {
  yield* sql`DELETE FROM one_time_links WHERE user_id = ${userId} AND purpose = 'verify-email'
       AND email_key IS DISTINCT FROM (SELECT email_key FROM users WHERE id = ${userId})`.changes()
  yield* sql`UPDATE users SET pending_email = NULL, pending_email_key = NULL WHERE id = ${userId}`.changes()
}

/** Revokes all ways to sign in but the password, consents and tokens. Keeps what the user owns (decision 0051). */
export function* removeAccess(userId: string, nowMs: number): Work<void> {
  yield* endAccessByPassword(userId)
  const tables = ['one_time_links', 'passkeys', 'passkey_challenges', 'linked_accounts', 'try_out_results', 'consents']
  for (const table of tables) yield* sql`DELETE FROM ${raw(table)} WHERE user_id = ${userId}`.run()
  yield* sql`DELETE FROM provider_visits WHERE linking_user_id = ${userId}`.run()
  yield* sql`UPDATE users SET pin_hash = NULL, pin_failures = 0, pin_locked_until_ms = NULL, chat_platform_id = NULL,
    code_hosting_id = NULL WHERE id = ${userId}`.run()
  yield* revokeTokensOf(userId, nowMs)
}

/** Ends what acts for the owner: runtimes, subscriptions and client secrets. Keeps applications and bots. */
export function* endProgramAccess(userId: string): Work<EndedByFirstProof> {
  const ids = yield* idsOfPrograms(userId)
  yield* sql`DELETE FROM runtimes WHERE owner_id = ${userId}`.changes()
  yield* sql`DELETE FROM subscriptions WHERE owner_id = ${userId}`.changes()
  const clientSecrets = yield* sql`DELETE FROM client_secrets WHERE application_id IN
     (SELECT id FROM applications WHERE owner_id = ${userId} AND deleted_at_ms IS NULL)`.changes()
  return { ...ids, clientSecrets }
}

export function* idsOfPrograms(ownerId: string): Work<Omit<EndedByFirstProof, 'clientSecrets'>> {
  const runtimes = yield* sql`SELECT id FROM runtimes WHERE owner_id = ${ownerId}`.rows<{ id: RuntimeId }>()
  const subscriptions = yield* sql`SELECT id FROM subscriptions
    WHERE owner_id = ${ownerId}`.rows<{ id: SubscriptionId }>()
  return { runtimeIds: runtimes.map(({ id }) => id), subscriptionIds: subscriptions.map(({ id }) => id) }
}

/** Revokes all the user's tokens and codes, including personal access tokens. */
function* revokeTokensOf(userId: string, nowMs: number): Work<void> {
  yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`.changes()
  yield* sql`UPDATE token_families SET revoked_at_ms = ${nowMs}, revoked_because = 'access-removed'
     WHERE user_id = ${userId} AND revoked_at_ms IS NULL`.changes()
}
