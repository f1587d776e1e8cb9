import * as limits from '../limits/limits.ts'
import type { AccountParts } from './account-parts.ts'
import { AccountRefusal, parseAll } from './account-refusal.ts'
import { emailKey, parseEmail, parseName, parsePassword, parsePin } from './credential-rules.ts'
import { type BrowserInfo, type Session, sessionAuditEntry } from './sessions/sessions.ts'
import { proveOwner } from './sessions/sign-in-limits.ts'
import type { Unlocking } from './user-store.ts'

export function createAccountSettings(
  parts: Pick<AccountParts, 'users' | 'mail' | 'hashing' | 'signInLimits' | 'mailLimits' | 'audit' | 'clock'>,
) {
  const { users, clock, hashing, signInLimits, audit, mail, mailLimits } = parts

  return {
    /** @throws AccountRefusal `name-missing`, `name-too-long`. */
    async changeName(session: Session, name: string): Promise<void> {
      const parsed = parseAll((take) => take(parseName(name)))
      await users.changeName(session.userId, parsed, clock.nowMs())
    },

    /**
     * Sets or replaces the password and ends the user's other sessions. Requires {@link proveOwner}.
     *
     * @throws AccountRefusal with the password's validation error; `current-password-wrong`, `unlock-first`,
     * `slow-down`, `busy`, `user-unknown`.
     */
    async changePassword(
      session: Session,
      form: { clearTextCurrentPassword: string; clearTextPassword: string },
    ): Promise<void> {
      parseAll((take) => take(parsePassword(form.clearTextPassword)))
      await hashing.withSlot(session.browser.address, async (slot) => {
        const nowMs = clock.nowMs()
        const proven = await proveOwner(slot, session, form.clearTextCurrentPassword, {
          users,
          signInLimits,
          nowMs,
        }).catch((error) => {
          throw error instanceof AccountRefusal && error.reason === 'password-wrong'
            ? new AccountRefusal('current-password-wrong')
            : error
        })
        const to = await slot.hash(form.clearTextPassword)
        const change = { userId: session.userId, from: proven.passwordHash, to, keptSession: session.number }
        const recording = audit.recordingOf('changed', sessionAuditEntry(session, 'password-changed'))
        const outcome = await users.changePassword(change, nowMs, recording)
        if (outcome === 'password-changed') throw new AccountRefusal('current-password-wrong')
      })
    },

    /**
     * If a mail server is configured, the change takes effect only when the user opens a link sent to the new address,
     * unless it is the current one in other letter case. Requires {@link proveOwner}, because the address can be used to
     * recover the account.
     *
     * @throws AccountRefusal `email-missing`, `email-malformed`, `email-taken`, `password-wrong`, `unlock-first`,
     * `slow-down`, `too-many-mails`, `busy`, `user-unknown`.
     */
    async changeEmail(
      session: Session,
      form: { email: string; clearTextPassword: string },
      browser: BrowserInfo,
    ): Promise<'changed' | 'mailed'> {
      const email = parseAll((take) => take(parseEmail(form.email)))
      const nowMs = clock.nowMs()
      signInLimits.checkAddress(browser.address, nowMs)
      await hashing.withSlot(session.browser.address, (slot) =>
        proveOwner(slot, session, form.clearTextPassword, { users, signInLimits, nowMs }),
      )
      // A link for the current address would change nothing.
      const isOwn = session.email !== null && session.email !== email.address && emailKey(session.email) === email.key
      const needsLink = mail !== undefined && !isOwn
      if (needsLink) mailLimits.take({ kind: 'verify-email', account: email.key, address: browser.address }, nowMs)
      const { userId } = session
      const entry = { kind: 'email-changed', actor: 'user', origin: browser, userId } as const
      const outcome = await (needsLink
        ? users.requestEmail(userId, email, browser.language, nowMs)
        : users.changeEmail(userId, email, nowMs, audit.recordingOf('changed', entry)))
      if (outcome === 'email-taken') {
        // Reveals that the address has an account, so it counts as a failed guess, as it does at sign-up.
        signInLimits.countProbe(browser.address, nowMs)
        throw new AccountRefusal('email-taken')
      }
      mail?.startSending()
      return outcome === 'requested' ? 'mailed' : 'changed'
    },

    /** Emails a new link to the address awaiting verification, if any. Throws AccountRefusal `too-many-mails`. */
    async mailLinkAgain(session: Session, browser: BrowserInfo): Promise<void> {
      const user = await users.findUser(session.userId)
      const address = user?.pendingEmail ?? (user?.emailVerified === false ? user.email : null)
      if (mail === undefined || address == null) return
      // Links to the user's current address count against the user's own limit, which strangers can't use up.
      const knownAs = user?.pendingEmail == null ? `user ${session.userId}` : undefined
      const request = { kind: 'verify-email', account: emailKey(address), address: browser.address, knownAs } as const
      mailLimits.take(request, clock.nowMs())
      await mail.add({ kind: 'verify-email', userId: session.userId, address, language: browser.language })
    },

    keepEmail: (session: Session) => users.dropPendingEmail(session.userId),
  }
}

export function createSessionPin({
  users,
  audit,
  hashing,
  signInLimits,
  clock,
}: Pick<AccountParts, 'users' | 'audit' | 'hashing' | 'signInLimits' | 'clock'>) {
  return {
    /**
     * Unlocks the session for up to {@link pinUnlockLifetimeMs}. Counts the attempt as a failure before checking the
     * PIN, and resets the count if it was correct, so concurrent guesses can't exceed the allowed number.
     *
     * @throws AccountRefusal `pin-malformed` (not counted), `pin-not-set`, `pin-wrong` with `triesLeft`, `pin-locked`
     * with `retryAfterMs`, `busy`.
     */
    async unlock(session: Session, clearTextPin: string): Promise<void> {
      if ('fault' in parsePin(clearTextPin)) throw new AccountRefusal('pin-malformed')
      await hashing.withSlot(session.browser.address, async (slot) => {
        const nowMs = clock.nowMs()
        const attempt = await users.beginPinAttempt(session.userId, nowMs)
        if (attempt.kind === 'not-set') throw new AccountRefusal('pin-not-set')
        if (attempt.kind === 'locked') throw new AccountRefusal('pin-locked', { retryAfterMs: attempt.untilMs - nowMs })
        const right =
          (await slot.verify(clearTextPin, attempt.pinHash)) &&
          (await users.completePinAttempt(session.userId, attempt.pinHash, unlockingOf(session, nowMs)))
        if (right) return
        if (attempt.locksUntilMs !== null) {
          const retryAfterMs = attempt.locksUntilMs - nowMs
          const minutes = String(Math.ceil(retryAfterMs / 60_000))
          await audit.record(sessionAuditEntry(session, 'pin-locked', { minutes }))
          throw new AccountRefusal('pin-locked', { retryAfterMs })
        }
        throw new AccountRefusal('pin-wrong', { triesLeft: attempt.triesLeft })
      })
    },

    /**
     * Sets the PIN, unlocks this session and locks the user's other sessions. Requires {@link proveOwner}, unless the
     * caller has confirmed the user's identity with a passkey.
     *
     * @throws AccountRefusal `pin-malformed`, `password-wrong`, `unlock-first`, `slow-down`, `busy`, `user-unknown`.
     */
    async set(
      session: Session,
      clearTextPin: string,
      proof: 'passkey' | { clearTextPassword: string | undefined },
    ): Promise<void> {
      if ('fault' in parsePin(clearTextPin)) throw new AccountRefusal('pin-malformed')
      await hashing.withSlot(session.browser.address, async (slot) => {
        const nowMs = clock.nowMs()
        if (proof !== 'passkey') {
          await proveOwner(slot, session, proof.clearTextPassword, { users, signInLimits, nowMs })
        }
        const recording = audit.recording<void>(() => sessionAuditEntry(session, 'pin-changed'))
        const pinHash = await slot.hash(clearTextPin)
        await users.setPin(session.userId, pinHash, unlockingOf(session, nowMs), nowMs, recording)
      })
    },
  }
}

function unlockingOf(session: Session, nowMs: number): Unlocking {
  return { sessionNumber: session.number, untilMs: nowMs + limits.pinUnlockLifetimeMs }
}
