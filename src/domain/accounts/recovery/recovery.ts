import type { AuditEntry, AuditKind } from '../../audit/audit.ts'
import type { SecretDigest, UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { AccountParts } from '../account-parts.ts'
import { AccountRefusal, parseAll } from '../account-refusal.ts'
import { emailKey, parseEmail, parsePassword, parsePin } from '../credential-rules.ts'
import type { BrowserInfo, Session } from '../sessions/sessions.ts'
import type {
  EndedByFirstProof,
  LinkPurpose,
  LiveLink,
  OneTimeLinkStore,
  VerifyEmailOutcome,
} from './one-time-link-store.ts'

export function createRecovery(parts: AccountParts & { links: OneTimeLinkStore }) {
  const { mail, mailLimits, users, devices, clock, secrets, links, hashing, signInLimits, audit } = parts
  let afterFirstProof: (ended: EndedByFirstProof) => Promise<void> = async () => {}
  /** Otherwise, only the operator can create links. */
  const byMail = mail !== undefined

  /** Called before a password or PIN is hashed, so that rejecting an invalid link is cheap. */
  async function requireLink(clearTextToken: string, purpose: LinkPurpose): Promise<SecretDigest> {
    const found = await find(clearTextToken, purpose)
    if (found === undefined) throw new AccountRefusal('link-invalid')
    return found.digest
  }

  function find(clearTextToken: string, purpose: LinkPurpose) {
    return secrets.findStored(clearTextToken, async (digest) => {
      const link = await links.findLink(digest, purpose, clock.nowMs())
      return link && { link, digest }
    })
  }

  function recordingOfUse(kind: AuditKind, browser: BrowserInfo) {
    return audit.recording((done: VerifyEmailOutcome) =>
      done.kind === 'used' ? changedByLink(done.userId, kind, browser) : undefined,
    )
  }

  return {
    byMail,

    /** Called when a first proof has ended runtimes and subscriptions. */
    onFirstProof: (listener: (ended: EndedByFirstProof) => Promise<void>) => {
      afterFirstProof = listener
    },

    /**
     * Neither the response nor its timing reveals whether the account exists: it is looked up when the email is sent.
     *
     * @param deviceMark see `KnownDevices`: a known browser has its own limit, which strangers can't use up.
     * @throws AccountRefusal `email-missing`, `email-malformed`, `too-many-mails`.
     */
    async requestPasswordLink(email: string, browser: BrowserInfo, deviceMark?: string): Promise<void> {
      if (mail === undefined) throw new Error('password link requested by mail, but no mail server is configured')
      const { address, key: account } = parseAll((take) => take(parseEmail(email)))
      const found = deviceMark === undefined ? undefined : await users.findCredentialsByEmail(account)
      const knownAs = found && devices.nameFor(deviceMark, found)
      mailLimits.take({ kind: 'reset-password', account, address: browser.address, knownAs }, clock.nowMs())
      await mail.add({ kind: 'reset-password', userId: null, address, language: browser.language })
    },

    /** For the operator. Replaces an unused link for the same purpose. Throws AccountRefusal `user-unknown`. */
    async makeLink(
      userId: UserId,
      purpose: 'reset-password' | 'set-pin',
    ): Promise<{ clearTextToken: string; expiresAtMs: number }> {
      const { clearText, digest } = secrets.make('oneTimeLink')
      const expiresAtMs = clock.nowMs() + limits.operatorLinkLifetimeMs
      const outcome = await links.putLink({ userId, purpose, digest, emailKey: null, expiresAtMs })
      if (outcome === 'user-unknown') throw new AccountRefusal('user-unknown', { detail: `user ${userId}` })
      return { clearTextToken: clearText, expiresAtMs }
    },

    async findLink(clearTextToken: string, purpose: LinkPurpose): Promise<LiveLink | undefined> {
      return (await find(clearTextToken, purpose))?.link
    },

    /** Consumes the link. Throws AccountRefusal `link-invalid`, `busy`, or the password's validation error. */
    async resetPassword(
      clearTextToken: string,
      form: { clearTextPassword: string; removesAccess: boolean },
      browser: BrowserInfo,
    ): Promise<{ userId: UserId; accessRemoved: boolean; ended: EndedByFirstProof | undefined }> {
      const digest = await requireLink(clearTextToken, 'reset-password')
      parseAll((take) => take(parsePassword(form.clearTextPassword)))
      const passwordHash = await hashing.withSlot(browser.address, (slot) => slot.hash(form.clearTextPassword))
      const use = await links.resetPassword(
        digest,
        { passwordHash, removesAccess: form.removesAccess },
        clock.nowMs(),
        audit.recording((done) => {
          if (done.kind !== 'used') return undefined
          return changedByLink(done.userId, 'password-changed', browser, {
            ...(done.accessRemoved && { access: 'removed' }),
            ...(done.ended && { programs: 'ended' }),
          })
        }),
      )
      if (use.kind === 'link-invalid') throw new AccountRefusal('link-invalid')
      // The failed guesses were guesses at the old password.
      const user = await users.findUser(use.userId)
      signInLimits.forget(user?.email == null ? use.userId : emailKey(user.email))
      if (use.ended !== undefined) await afterFirstProof(use.ended)
      return { userId: use.userId, accessRemoved: use.accessRemoved, ended: use.ended }
    },

    /** Signs nobody in and unlocks no session. Throws AccountRefusal `link-invalid`, `pin-malformed` or `busy`. */
    async setPin(clearTextToken: string, clearTextPin: string, browser: BrowserInfo): Promise<UserId> {
      const digest = await requireLink(clearTextToken, 'set-pin')
      if ('fault' in parsePin(clearTextPin)) throw new AccountRefusal('pin-malformed')
      const pinHash = await hashing.withSlot(browser.address, (slot) => slot.hash(clearTextPin))
      const use = await links.setPin(digest, pinHash, clock.nowMs(), recordingOfUse('pin-changed', browser))
      if (use.kind === 'link-invalid') throw new AccountRefusal('link-invalid')
      return use.userId
    },

    /** Consumes the link. Throws AccountRefusal `link-invalid`, `email-taken` or `sign-in-first`. */
    async verifyEmail(clearTextToken: string, session: Session | undefined, browser: BrowserInfo): Promise<UserId> {
      const digest = await requireLink(clearTextToken, 'verify-email')
      const use = await links.verifyEmail(
        digest,
        session?.number,
        browser.language,
        clock.nowMs(),
        recordingOfUse('email-changed', browser),
      )
      if (use.kind !== 'used') throw new AccountRefusal(use.kind)
      mail?.startSending()
      return use.userId
    },
  }
}

function changedByLink(userId: UserId, kind: AuditKind, origin: BrowserInfo, more = {}): AuditEntry {
  return { kind, actor: 'user', origin, userId, detail: { by: 'link', ...more } }
}
