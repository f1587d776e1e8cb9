import type {
  LinkPurpose,
  LinkUse,
  LiveLink,
  OneTimeLinkStore,
  PasswordResetOutcome,
} from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type { Recording } from '../../../domain/audit/audit.ts'
import type { UserId } from '../../../domain/ids.ts'
import type { SecretDigest } from '../../../domain/secret.ts'
import { changes, type Database, firstRow, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { endAccessByPassword, endProgramAccess, removeAccess } from './account-access.ts'
import { queueMail } from './outgoing-mail.ts'
import { storePin } from './pins.ts'

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
      yield* changes('DELETE FROM one_time_links WHERE digest = ?', digest)
      return yield* act(link)
    })
  }

  return {
    putLink: ({ userId, purpose, digest, emailKey, expiresAtMs }) =>
      database.write({ row: `user ${userId}` }, function* () {
        if (!(yield* userExists(userId))) return 'user-unknown'
        yield* changes(
          `INSERT INTO one_time_links (user_id, purpose, digest, email_key, expires_at_ms) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (user_id, purpose) DO UPDATE
           SET digest = excluded.digest, email_key = excluded.email_key, expires_at_ms = excluded.expires_at_ms`,
          userId,
          purpose,
          digest,
          emailKey,
          expiresAtMs,
        )
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
        yield* changes(
          'UPDATE users SET password_hash = ?, updated_at_ms = ? WHERE id = ?',
          passwordHash,
          nowMs,
          userId,
        )
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
        yield* changes('DELETE FROM one_time_links WHERE digest = ?', digest)
        if (changesEmail) {
          const taken = yield* firstRow(
            'SELECT 1 FROM users WHERE email_key = ? AND id <> ?',
            link.emailKey,
            link.userId,
          )
          if (taken !== undefined) return { kind: 'email-taken' }
          yield* changes(
            `UPDATE users SET email = pending_email, email_key = pending_email_key, pending_email = NULL,
             pending_email_key = NULL, updated_at_ms = ? WHERE id = ?`,
            nowMs,
            link.userId,
          )
          if (link.currentEmail !== null) {
            const [userId, address] = [link.userId as UserId, link.currentEmail]
            yield* queueMail({ kind: 'email-changed', userId, address, language }, nowMs)
          }
        }
        yield* verify(link.userId, nowMs)
        return used(link)
      }),

    deleteExpiredLinks: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM one_time_links WHERE digest IN
           (SELECT digest FROM one_time_links WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),
  }
}

function* liveLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Work<FoundLink | undefined> {
  const row = yield* firstRow<LinkRow>(
    `SELECT user_id, one_time_links.email_key, name, email AS current_email, users.email_key AS current_key,
            CASE WHEN email_verified_at_ms IS NULL THEN 0 ELSE 1 END AS verified, pending_email,
            pending_email_key AS pending_key
         FROM one_time_links JOIN users ON users.id = user_id WHERE digest = ? AND purpose = ? AND expires_at_ms > ?`,
    digest,
    purpose,
    nowMs,
  )
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
  return (
    (yield* firstRow('SELECT 1 FROM sessions WHERE number = ? AND user_id = ?', sessionNumber, userId)) !== undefined
  )
}

function* verify(userId: string, nowMs: number): Work<void> {
  yield* changes(
    'UPDATE users SET email_verified_at_ms = coalesce(email_verified_at_ms, ?) WHERE id = ?',
    nowMs,
    userId,
  )
}

function used(link: FoundLink) {
  return { kind: 'used' as const, userId: link.userId as UserId, emailKey: link.emailKey }
}
