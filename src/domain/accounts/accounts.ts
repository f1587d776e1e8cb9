import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { newId, parseUserId, type UserId } from '../ids.ts'
import { sessionLifetimeMs, sessionsPerUser, userAgentMaxCharacters } from '../limits/limits.ts'
import { type Secrets, sameDigest } from '../secret.ts'
import { AccountRefusal } from './account-refusal.ts'
import { AccountSettings } from './account-settings.ts'
import { CredentialHashing, type HashingCost, type HashingSlot } from './credential-hashing.ts'
import { emailKey } from './credential-rules.ts'
import { MailLimits } from './mail/mail-limits.ts'
import type { OutgoingMail } from './mail/outgoing-mail.ts'
import type { OneTimeLinkStore } from './recovery/one-time-link-store.ts'
import { Recovery } from './recovery/recovery.ts'
import { SessionPin } from './session-pin.ts'
import { KnownDevices } from './sessions/known-devices.ts'
import { OpenSessions } from './sessions/open-sessions.ts'
import { asSession, type BrowserInfo, type Session, type SignInWay, type StartedSession } from './sessions/session.ts'
import type { SessionStore, Surface } from './sessions/session-store.ts'
import { type Guesser, SignInLimits, sessionGuesser } from './sessions/sign-in-limits.ts'
import { parseSignUp, parseUserChange, type UserChange } from './user-forms.ts'
import type { User, UserStore } from './user-store.ts'

export { AccountRefusal } from './account-refusal.ts'
export type { BrowserInfo, Session, StartedSession } from './sessions/session.ts'
export type { UserChange } from './user-forms.ts'
export type { User } from './user-store.ts'

export interface AccountsParts {
  users: UserStore
  sessions: SessionStore
  links: OneTimeLinkStore
  /** Undefined where no mail server is configured. */
  mail: OutgoingMail | undefined
  audit: Audit
  secrets: Secrets
  clock: Clock
  signUp: 'open' | 'closed'
  /** Undefined for that of production. */
  hashingCost: HashingCost | undefined
}

/** People: who they are, how they sign in, their browser sessions and the session PIN. */
export class Accounts {
  readonly signUpOpen: boolean
  readonly settings: AccountSettings
  readonly recovery: Recovery
  readonly openSessions: OpenSessions
  readonly #users: UserStore
  readonly #sessions: SessionStore
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #hashing: CredentialHashing
  readonly #limits = new SignInLimits()
  readonly #devices: KnownDevices
  readonly #pin: SessionPin
  readonly #mail: OutgoingMail | undefined
  readonly #mailLimits = new MailLimits()
  #hasUsers = false

  constructor({ users, sessions, links, mail, audit, secrets, clock, signUp, hashingCost }: AccountsParts) {
    this.signUpOpen = signUp === 'open'
    this.#users = users
    this.#sessions = sessions
    this.#audit = audit
    this.#secrets = secrets
    this.#clock = clock
    this.#hashing = new CredentialHashing({ peppers: secrets.keysFor('password pepper'), cost: hashingCost })
    this.#devices = new KnownDevices(secrets.keysFor('known device'))
    this.#pin = new SessionPin({ users, audit, hashing: this.#hashing, limits: this.#limits, clock })
    this.#mail = mail
    const parts = {
      users,
      mail,
      hashing: this.#hashing,
      limits: this.#limits,
      mailLimits: this.#mailLimits,
      devices: this.#devices,
      audit,
      clock,
    }
    this.settings = new AccountSettings(parts)
    this.recovery = new Recovery({ ...parts, links, secrets })
    this.openSessions = new OpenSessions({ sessions, audit, clock })
  }

  /** How many passwords and PINs are checked now, and how many wait for that. */
  get hashingFigures(): { running: number; waiting: number } {
    return this.#hashing.figures
  }

  /**
   * Creates a user and signs them in at the identity surface.
   *
   * @throws AccountRefusal with every fault of the form in `reasons`; `email-taken`, `sign-up-closed`, `slow-down`,
   * `too-many-sign-ups`, `too-many-mails`, `busy`.
   */
  async signUp(
    form: { name: string; email: string; clearTextPassword: string },
    browser: BrowserInfo,
  ): Promise<StartedSession> {
    if (!this.signUpOpen) throw new AccountRefusal('sign-up-closed')
    const { name, email } = parseSignUp(form)
    this.#limits.checkAddress(browser.address, this.#clock.nowMs())
    // Checked before queueing as well, so that a sign-up that will be rejected takes no place in the hashing queue.
    this.#limits.checkSignUp(browser.address, this.#clock.nowMs())
    const passwordHash = await this.#hashing.withSlot((slot) => slot.hash(form.clearTextPassword))
    const id = newUserId()
    this.#limits.takeSignUp(browser.address, this.#clock.nowMs())
    const mailedIn = this.#mail === undefined ? undefined : browser.language
    if (mailedIn !== undefined) this.#mailLimits.takeForSignUp(browser.address, this.#clock.nowMs())
    const outcome = await this.#users.addUser({ id, name, email, passwordHash, mailedIn }, this.#clock.nowMs())
    if (outcome === 'email-taken') {
      // The answer tells who has an account, so asking often counts like guessing.
      this.#limits.probed(browser.address, this.#clock.nowMs())
      throw new AccountRefusal('email-taken')
    }
    this.#mail?.look()
    return this.startSession(id, 'identity', browser, 'sign-up')
  }

  /**
   * Signs in by e-mail and password at the identity surface. An unknown address takes as long as a wrong password.
   *
   * @param known evidence that this browser has signed in before, see {@link Guesser}.
   * @throws AccountRefusal `credentials-wrong`, `slow-down`, `busy`.
   */
  async signIn(
    form: { email: string; clearTextPassword: string },
    browser: BrowserInfo,
    known: { deviceMark?: string | undefined; session?: Session | undefined } = {},
  ): Promise<StartedSession> {
    const account = emailKey(form.email)
    const guesser = await this.#guesser(account, browser, known)
    // Asked before the queue too, so that guesses that are refused anyway take nobody's place in it.
    this.#limits.check(guesser, this.#clock.nowMs())
    const { found, right } = await this.#hashing.withSlot(async (slot) => {
      const found = await this.#users.findCredentialsByEmail(account)
      const password = { clearText: form.clearTextPassword, hash: found?.passwordHash ?? null }
      const right = await this.#limits.verifyPassword(slot, password, guesser, this.#clock.nowMs())
      return { found, right }
    })
    if (found === undefined || !right) {
      // Known or not, one event is stored: the time it takes must not tell.
      const detail = found === undefined ? { account: this.#audit.digestOfUnknown(account) } : {}
      const userId = found?.userId
      await this.#audit.record({ kind: 'sign-in-failed', actor: 'nobody', origin: browser, userId, detail })
      throw new AccountRefusal('credentials-wrong')
    }
    return this.#startSession(found.userId, 'identity', browser, 'password', found.passwordHash)
  }

  /**
   * Starts a session of a user who was authenticated otherwise (the portal, by its code), and records it.
   *
   * @param by how the user was authenticated.
   * @throws AccountRefusal `user-unknown`.
   */
  startSession(userId: UserId, surface: Surface, browser: BrowserInfo, by: SignInWay): Promise<StartedSession> {
    return this.#startSession(userId, surface, browser, by, null)
  }

  /** Returns the device mark for a browser in which this user signed in or set a password. See {@link KnownDevices}. */
  async markDevice(deviceMark: string | undefined, userId: UserId): Promise<string | undefined> {
    const credentials = await this.#users.findCredentials(userId)
    return credentials && this.#devices.markAfterSignIn(deviceMark, credentials)
  }

  /** The session of this cookie, or undefined when it is not ours, ended, run out, or of another surface. */
  async authenticateSession(
    clearText: string | undefined,
    surface: Surface,
    browser: BrowserInfo,
  ): Promise<Session | undefined> {
    if (clearText === undefined) return undefined
    const presented = this.#secrets.readNumbered('session', clearText)
    if (presented === undefined) return undefined
    const stored = await this.#sessions.findSession(presented.row)
    if (stored === undefined || !sameDigest(stored.digest, presented.digest)) return undefined
    const nowMs = this.#clock.nowMs()
    if (stored.surface !== surface || stored.expiresAtMs <= nowMs) return undefined
    this.openSessions.noteSeen(stored)
    return asSession(stored, nowMs, browser)
  }

  /** Ends the session. Repeating it is harmless. */
  endSession(session: Session): Promise<void> {
    return this.#sessions.endSession(session.number)
  }

  /** See {@link SessionPin.unlock}. */
  unlockPin(session: Session, clearTextPin: string): Promise<void> {
    return this.#pin.unlock(session, clearTextPin)
  }

  /** See {@link SessionPin.set}. */
  setPin(session: Session, form: { clearTextPin: string; clearTextPassword: string | undefined }): Promise<void> {
    return this.#pin.set(session, form)
  }

  /** See {@link SessionPin.setProven}. */
  setProvenPin(session: Session, clearTextPin: string): Promise<void> {
    return this.#pin.setProven(session, clearTextPin)
  }

  /**
   * Provisioning: creates or changes a user. Putting the same again changes nothing: a password or PIN that
   * is already the user's is left as it stands, with its sessions and its count of failures.
   *
   * @throws AccountRefusal with every fault of the change in `reasons`; `email-taken`, `chat-platform-id-taken`,
   * `code-hosting-id-taken`, `busy`.
   */
  async putUser(userId: UserId, change: UserChange): Promise<'created' | 'changed'> {
    const { stored, clearTextPassword, clearTextPin } = parseUserChange(change)
    if (clearTextPassword !== undefined || clearTextPin !== undefined) {
      await this.#hashing.withSlot(async (slot) => {
        const before = await this.#users.findCredentials(userId)
        const passwordHash = await newHash(slot, clearTextPassword, before?.passwordHash ?? null)
        if (passwordHash !== undefined) stored.passwordHash = passwordHash
        const pinHash = await newHash(slot, clearTextPin, before?.pinHash ?? null)
        if (pinHash !== undefined) stored.pinHash = pinHash
      })
    }
    const outcome = await this.#users.putUser(userId, stored, this.#clock.nowMs())
    if (outcome === 'created' || outcome === 'changed') return outcome
    throw new AccountRefusal(outcome, { detail: `user ${userId}` })
  }

  /** Whether anybody has an account. Users are not deleted, so it is asked until somebody has. */
  async hasUsers(): Promise<boolean> {
    this.#hasUsers ||= (await this.#users.countUsers(1)) > 0
    return this.#hasUsers
  }

  /** Whether the service is new: nobody has an account, or one person. */
  async population(): Promise<'nobody' | 'one' | 'several'> {
    return (['nobody', 'one'] as const)[await this.#users.countUsers(2)] ?? 'several'
  }

  user(userId: UserId): Promise<User | undefined> {
    return this.#users.findUser(userId)
  }

  /**
   * Returns the user whose verified address this is. An unverified one does not count: anyone can enter it at sign-up.
   */
  async userOfEmail(email: string): Promise<User | undefined> {
    const user = await this.#users.findUserByEmail(emailKey(email))
    return user?.emailVerified ? user : undefined
  }

  /** Deletes at most `atMost` sessions that have run out; returns how many. */
  pruneSessions(atMost: number): Promise<number> {
    return this.#sessions.deleteExpiredSessions(this.#clock.nowMs(), atMost)
  }

  async #guesser(
    account: string,
    { address }: BrowserInfo,
    { deviceMark, session }: { deviceMark?: string | undefined; session?: Session | undefined },
  ): Promise<Guesser> {
    const stranger = { kind: 'stranger', account, address } as const
    if (deviceMark === undefined && session === undefined) return stranger
    const found = await this.#users.findCredentialsByEmail(account)
    if (found === undefined) return stranger
    const name = this.#devices.nameFor(deviceMark, found)
    if (name !== undefined) return { kind: 'known', name }
    return session?.userId === found.userId ? sessionGuesser(session) : stranger
  }

  /** @param passwordHash the password that was proven, which must still be the user's when the session is stored. */
  async #startSession(
    userId: UserId,
    surface: Surface,
    browser: BrowserInfo,
    by: SignInWay,
    passwordHash: string | null,
  ): Promise<StartedSession> {
    const number = await this.#sessions.allotNumber()
    const { clearText, digest } = this.#secrets.makeNumbered('session', { row: number, generation: 0 })
    const createdAtMs = this.#clock.nowMs()
    const added = {
      number,
      digest,
      surface,
      userId,
      userAgent: browser.userAgent?.slice(0, userAgentMaxCharacters),
      address: browser.address,
      createdAtMs,
      expiresAtMs: createdAtMs + sessionLifetimeMs,
    }
    const outcome = await this.#sessions.addSession(
      added,
      passwordHash,
      sessionsPerUser,
      this.#audit.recording(({ kind }) =>
        kind === 'added' ? { kind: 'sign-in', actor: 'user', origin: browser, userId, detail: { by } } : undefined,
      ),
    )
    if (outcome.kind === 'password-changed') throw new AccountRefusal('credentials-wrong')
    if (outcome.kind === 'user-unknown') throw new AccountRefusal('user-unknown', { detail: `user ${userId}` })
    return { clearText, session: asSession(outcome.session, createdAtMs, browser) }
  }
}

function newUserId(): UserId {
  const id = parseUserId(newId())
  if (id === undefined) throw new Error('a new id does not have the form of an id')
  return id
}

/** Undefined when there is nothing to change: none was given, or it is the one that is stored. */
async function newHash(
  slot: HashingSlot,
  clearText: string | null | undefined,
  stored: string | null,
): Promise<string | null | undefined> {
  if (clearText === undefined) return undefined
  if (clearText === null) return stored === null ? undefined : null
  return stored !== null && (await slot.verify(clearText, stored)) ? undefined : slot.hash(clearText)
}
