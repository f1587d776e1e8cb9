import { newId, type UserId } from '../ids-and-secrets.ts'
import type { AccountParts } from './account-parts.ts'
import { AccountRefusal, parseAll } from './account-refusal.ts'
import { emailKey, parseEmail, parseName, parsePassword } from './credential-rules.ts'
import type { BrowserInfo, Session, Sessions, StartedSession } from './sessions/sessions.ts'
import { type Guesser, sessionGuesser } from './sessions/sign-in-limits.ts'

export function createPasswordSignIn(
  parts: Pick<
    AccountParts,
    'users' | 'mail' | 'mailLimits' | 'hashing' | 'signInLimits' | 'devices' | 'audit' | 'clock'
  > & { sessions: Sessions; signUpOpen: boolean },
) {
  const { users, sessions, signUpOpen, mail, mailLimits, hashing, signInLimits, devices, audit, clock } = parts

  async function guesserOf(
    account: string,
    { address }: BrowserInfo,
    { deviceMark, session }: { deviceMark?: string | undefined; session?: Session | undefined },
  ): Promise<Guesser> {
    const stranger = { kind: 'stranger', account, address } as const
    if (deviceMark === undefined && session === undefined) return stranger
    const found = await users.findCredentialsByEmail(account)
    if (found === undefined) return stranger
    const name = devices.nameFor(deviceMark, found)
    if (name !== undefined) return { kind: 'known', name }
    return session?.userId === found.userId ? sessionGuesser(session) : stranger
  }

  return {
    /**
     * Creates a user and signs them in on the base surface.
     *
     * @throws AccountRefusal with all validation errors in `reasons`, or with `email-taken`, `sign-up-closed`,
     * `slow-down`, `too-many-sign-ups`, `too-many-mails`, `busy`.
     */
    async signUp(
      form: { name: string; email: string; clearTextPassword: string },
      browser: BrowserInfo,
    ): Promise<StartedSession> {
      if (!signUpOpen) throw new AccountRefusal('sign-up-closed')
      const { name, email } = parseAll((take) => {
        const parsed = { name: take(parseName(form.name)), email: take(parseEmail(form.email)) }
        take(parsePassword(form.clearTextPassword))
        return parsed
      })
      signInLimits.checkAddress(browser.address, clock.nowMs())
      // A rejected sign-up never waits for a hashing slot. `takeSignUp` checks the limit again.
      signInLimits.checkSignUp(browser.address, clock.nowMs())
      const passwordHash = await hashing.withSlot(browser.address, (slot) => slot.hash(form.clearTextPassword))
      const id = newId<UserId>()
      signInLimits.takeSignUp(browser.address, clock.nowMs())
      const verificationLanguage = mail === undefined ? undefined : browser.language
      if (verificationLanguage !== undefined) mailLimits.takeForSignUp(browser.address, clock.nowMs())
      const outcome = await users.addUser({ id, name, email, passwordHash, verificationLanguage }, clock.nowMs())
      if (outcome === 'email-taken') {
        // The refusal reveals that the address has an account, so this request counts as a failed guess.
        signInLimits.countProbe(browser.address, clock.nowMs())
        throw new AccountRefusal('email-taken')
      }
      mail?.startSending()
      return sessions.start(id, 'identity', browser, 'sign-up')
    },

    /**
     * Signs in on the base surface. Takes as long for an unknown address as for a wrong password.
     *
     * @param known evidence that this browser has signed in before, see {@link Guesser}.
     * @throws AccountRefusal `credentials-wrong`, `user-disabled`, `slow-down`, `busy`.
     */
    async signIn(
      form: { email: string; clearTextPassword: string },
      browser: BrowserInfo,
      known: { deviceMark?: string | undefined; session?: Session | undefined } = {},
    ): Promise<StartedSession> {
      const account = emailKey(form.email)
      const guesser = await guesserOf(account, browser, known)
      // A rejected guess never waits for a hashing slot. `verifyPassword` checks the limit again.
      signInLimits.check(guesser, clock.nowMs())
      const { found, right } = await hashing.withSlot(browser.address, async (slot) => {
        const found = await users.findCredentialsByEmail(account)
        const password = { clearText: form.clearTextPassword, hash: found?.passwordHash ?? null }
        const right = await signInLimits.verifyPassword(slot, password, guesser, clock.nowMs())
        return { found, right }
      })
      if (found === undefined || !right) {
        // Records unknown accounts, too. Otherwise, the response time would reveal them.
        const detail = found === undefined ? { account: audit.digestOfUnknown(account) } : {}
        const userId = found?.userId
        await audit.record({ kind: 'sign-in-failed', actor: 'nobody', origin: browser, userId, detail })
        throw new AccountRefusal('credentials-wrong')
      }
      return sessions.start(found.userId, 'identity', browser, 'password', found.passwordHash)
    },

    /** Returns the browser's mark (see `KnownDevices`) with the user added, after a sign-in or a new password. */
    async markDevice(deviceMark: string | undefined, userId: UserId): Promise<string | undefined> {
      const credentials = await users.findCredentials(userId)
      return credentials && devices.markAfterSignIn(deviceMark, credentials)
    },
  }
}
