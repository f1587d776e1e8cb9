import type {
  LinkPurpose,
  LinkUse,
  LiveLink,
  OneTimeLinkStore,
  PasswordResetOutcome,
} from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type { Recording } from '../../../domain/audit/audit.ts'
import type { SecretDigest } from '../../../domain/ids-and-secrets.ts'
import { userExists } from '../rows.ts'
import { type Database, put, sql, type Work } from '../sql.ts'
import { queueMail } from './outgoing-mail.ts'
import { storePin } from './sessions.ts'
import { endAccessByPassword, endProgramAccess, removeAccess } from './users.ts'

interface FoundLink extends LiveLink {
  /** Key of the email address that the link was sent to. `null` if the operator hands the link to the user instead. */
  emailKey: string | null
  currentEmail: string | null
}

export function sqlOneTimeLinks(database: Database): OneTimeLinkStore {
  /** Deletes the link and runs `act`, in one transaction. */
  function use<Outcome>(
    [digest, purpose, nowMs]: Parameters<typeof liveLink>,
    recording: Recording<Outcome | { kind: 'link-invalid' }> | undefined,
    act: (link: FoundLink) => Work<Outcome>,
  ) {
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
      const { userId, userName, email, emailState } = link
      return { userId, userName, email, emailState }
    },

    resetPassword: (digest, { passwordHash, removesAccess }, nowMs, recording) =>
      use<PasswordResetOutcome>([digest, 'reset-password', nowMs], recording, function* (link) {
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
      use<LinkUse>([digest, 'set-pin', nowMs], recording, function* (link) {
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
            const { userId, currentEmail: address } = link
            yield* queueMail({ kind: 'email-changed', userId, address, language }, nowMs)
          }
        }
        yield* verify(link.userId, nowMs)
        return used(link)
      }),
  }
}

/** Finds the link if it still works: its address must be the current one, or the pending one that it verifies. */
function liveLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Work<FoundLink | undefined> {
  return sql`SELECT user_id, name AS user_name, link.email_key, users.email AS current_email,
      CASE link.email_key WHEN users.email_key THEN email WHEN pending_email_key THEN pending_email END AS email,
      CASE WHEN link.email_key IS NULL THEN NULL WHEN link.email_key IS DISTINCT FROM users.email_key THEN 'pending'
        WHEN email_verified_at_ms IS NULL THEN 'unverified' ELSE 'verified' END AS email_state
    FROM one_time_links AS link JOIN users ON users.id = user_id
    WHERE digest = ${digest} AND purpose = ${purpose} AND expires_at_ms > ${nowMs}
      AND (link.email_key IS NULL OR link.email_key = users.email_key
        OR (purpose = 'verify-email' AND link.email_key = pending_email_key))`.first()
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
  return { kind: 'used' as const, userId: link.userId }
}
