import type {
  LinkPurpose,
  LinkUse,
  LiveLink,
  OneTimeLinkStore,
  PasswordResetOutcome,
} from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type { Recording } from '../../../domain/audit/audit.ts'
import type { SecretDigest, UserId } from '../../../domain/ids-and-secrets.ts'
import { userExists } from '../rows.ts'
import { type Database, put, sql, type Work } from '../sql.ts'
import { queueMail } from './outgoing-mail.ts'
import { storePin } from './sessions.ts'
import { endAccessByPassword, endProgramAccess, removeAccess } from './users.ts'

interface LinkRow {
  userId: string
  /** Key of the email address that the link was sent to. `null` if the operator hands the link to the user instead. */
  emailKey: string | null
  name: string
  currentEmail: string | null
  currentKey: string | null
  verified: number
  pendingEmail: string | null
  pendingKey: string | null
}

type FoundLink = LinkRow & Pick<LiveLink, 'email' | 'emailState'>

interface Use<Outcome> {
  digest: SecretDigest
  purpose: LinkPurpose
  nowMs: number
  recording: Recording<Outcome | { kind: 'link-invalid' }> | undefined
}

export function sqlOneTimeLinks(database: Database): OneTimeLinkStore {
  /** Deletes the link and runs `act`, in one transaction. */
  function use<Outcome>(
    { digest, purpose, nowMs, recording }: Use<Outcome>,
    act: (link: FoundLink) => Work<Outcome>,
  ): Promise<Outcome | { kind: 'link-invalid' }> {
    return database.write<Outcome | { kind: 'link-invalid' }>({ recording }, function* () {
      const link = yield* liveLink(digest, purpose, nowMs)
      if (link === undefined) return { kind: 'link-invalid' }
      yield* sql`DELETE FROM one_time_links WHERE digest = ${digest}`.changes()
      return yield* act(link)
    })
  }

  return {
    putLink: ({ userId, purpose, digest, emailKey, expiresAtMs }) =>
      database.write({ row: `user ${userId}` }, function* () {
        if (!(yield* userExists(userId))) return 'user-unknown'
        yield* put('one_time_links', ['userId', 'purpose'], { userId, purpose, digest, emailKey, expiresAtMs }).run()
        return 'stored'
      }),

    async findLink(digest, purpose, nowMs) {
      const link = await database.read(() => liveLink(digest, purpose, nowMs))
      if (link === undefined) return undefined
      return { userId: link.userId as UserId, userName: link.name, email: link.email, emailState: link.emailState }
    },

    resetPassword: (digest, { passwordHash, removesAccess }, nowMs, recording) =>
      use<PasswordResetOutcome>({ digest, purpose: 'reset-password', nowMs, recording }, function* (link) {
        const { userId, emailState } = link
        yield* sql`UPDATE users SET password_hash = ${passwordHash}, updated_at_ms = ${nowMs}
          WHERE id = ${userId}`.changes()
        if (emailState !== null) yield* verify(userId, nowMs)
        const isFirstProof = emailState === 'unverified'
        const accessRemoved = removesAccess || isFirstProof
        yield* accessRemoved ? removeAccess(userId, nowMs) : endAccessByPassword(userId)
        const ended = isFirstProof ? yield* endProgramAccess(userId) : undefined
        return { ...used(link), accessRemoved, ended }
      }),

    setPin: (digest, pinHash, nowMs, recording) =>
      use<LinkUse>({ digest, purpose: 'set-pin', nowMs, recording }, function* (link) {
        yield* storePin(link.userId, pinHash, nowMs)
        return used(link)
      }),

    verifyEmail: (digest, sessionNumber, language, nowMs, recording) =>
      database.write({ recording }, function* () {
        const link = yield* liveLink(digest, 'verify-email', nowMs)
        if (link === undefined) return { kind: 'link-invalid' }
        const changesEmail = link.emailState === 'pending'
        if (changesEmail && !(yield* isSessionOf(link.userId, sessionNumber))) return { kind: 'sign-in-first' }
        yield* sql`DELETE FROM one_time_links WHERE digest = ${digest}`.changes()
        if (changesEmail) {
          const taken = sql`SELECT 1 FROM users WHERE email_key = ${link.emailKey} AND id <> ${link.userId}`
          if (yield* taken.exists()) return { kind: 'email-taken' }
          yield* sql`UPDATE users SET email = pending_email, email_key = pending_email_key, pending_email = NULL,
             pending_email_key = NULL, updated_at_ms = ${nowMs} WHERE id = ${link.userId}`.changes()
          if (link.currentEmail !== null) {
            const [userId, address] = [link.userId as UserId, link.currentEmail]
            yield* queueMail({ kind: 'email-changed', userId, address, language }, nowMs)
          }
        }
        yield* verify(link.userId, nowMs)
        return used(link)
      }),
  }
}

function* liveLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Work<FoundLink | undefined> {
  const row = yield* sql`SELECT user_id, one_time_links.email_key, name, email AS current_email,
    users.email_key AS current_key,
    CASE WHEN email_verified_at_ms IS NULL THEN 0 ELSE 1 END AS verified, pending_email,
    pending_email_key AS pending_key
    FROM one_time_links JOIN users ON users.id = user_id
    WHERE digest = ${digest} AND purpose = ${purpose} AND expires_at_ms > ${nowMs}`.first<LinkRow>()
  if (row === undefined) return undefined
  if (row.emailKey === null) return { ...row, email: null, emailState: null }
  if (row.emailKey === row.currentKey) {
    return { ...row, email: row.currentEmail, emailState: row.verified === 1 ? 'verified' : 'unverified' }
  }
  // A link sent to another address than the current one is valid only if it verifies the pending address.
  return purpose === 'verify-email' && row.emailKey === row.pendingKey
    ? { ...row, email: row.pendingEmail, emailState: 'pending' }
    : undefined
}

function* isSessionOf(userId: string, sessionNumber: number | undefined): Work<boolean> {
  if (sessionNumber === undefined) return false
  return yield* sql`SELECT 1 FROM sessions WHERE number = ${sessionNumber} AND user_id = ${userId}`.exists()
}

function* verify(userId: string, nowMs: number): Work<void> {
  yield* sql`UPDATE users SET email_verified_at_ms = coalesce(email_verified_at_ms, ${nowMs})
    WHERE id = ${userId}`.changes()
}

function used(link: FoundLink) {
  return { kind: 'used' as const, userId: link.userId as UserId }
}
