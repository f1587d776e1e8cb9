import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../secret.ts'
import { AccountSettings } from './account-settings.ts'
import { CredentialHashing, type HashingCost } from './credential-hashing.ts'
import { MailLimits } from './mail/mail-limits.ts'
import type { OutgoingMail } from './mail/outgoing-mail.ts'
import { PasswordSignIn } from './password-sign-in.ts'
import type { PersonalTokenStore } from './personal-tokens/personal-token-store.ts'
import { PersonalTokens } from './personal-tokens/personal-tokens.ts'
import type { OneTimeLinkStore } from './recovery/one-time-link-store.ts'
import { Recovery } from './recovery/recovery.ts'
import { SessionPin } from './session-pin.ts'
import type { SessionStore } from './sessions/session.ts'
import { OpenSessions, Sessions } from './sessions/sessions.ts'
import { KnownDevices, SignInLimits } from './sessions/sign-in-limits.ts'
import type { UserStore } from './user-store.ts'
import { Users } from './users.ts'

export { AccountRefusal } from './account-refusal.ts'
export type { BrowserInfo, Session, StartedSession } from './sessions/session.ts'
export type { UserChange } from './user-forms.ts'
export type { User } from './user-store.ts'

export interface AccountsParts {
  users: UserStore
  sessions: SessionStore
  links: OneTimeLinkStore
  personalTokens: PersonalTokenStore
  /** Email queue. `undefined` if no mail server is configured. */
  mail: OutgoingMail | undefined
  audit: Audit
  secrets: Secrets
  clock: Clock
  signUp: 'open' | 'closed'
  /** Cost of password and PIN hashes. `undefined` uses the production cost. */
  hashingCost: HashingCost | undefined
}

/** User accounts, sign-in, browser sessions and the session PIN. */
export interface Accounts {
  signUpOpen: boolean
  users: Users
  passwords: PasswordSignIn
  sessions: Sessions
  openSessions: OpenSessions
  pin: SessionPin
  settings: AccountSettings
  recovery: Recovery
  personalTokens: PersonalTokens
  hashing: CredentialHashing
}

export function createAccounts(parts: AccountsParts): Accounts {
  const { users, sessions, links, personalTokens, mail, audit, secrets, clock, signUp, hashingCost } = parts
  const signUpOpen = signUp === 'open'
  const hashing = new CredentialHashing({ peppers: secrets.keysFor('password pepper'), cost: hashingCost })
  const devices = new KnownDevices(secrets.keysFor('known device'))
  const [limits, mailLimits] = [new SignInLimits(), new MailLimits()]
  const shared = { users, mail, hashing, limits, mailLimits, devices, audit, clock }
  const openSessions = new OpenSessions({ sessions, audit, clock })
  const started = new Sessions({ sessions, openSessions, audit, secrets, clock })
  const checkedUsers = new Users(shared)
  return {
    signUpOpen,
    users: checkedUsers,
    passwords: new PasswordSignIn({ ...shared, sessions: started, signUpOpen }),
    sessions: started,
    openSessions,
    pin: new SessionPin(shared),
    settings: new AccountSettings(shared),
    recovery: new Recovery({ ...shared, links, secrets }),
    personalTokens: new PersonalTokens({ ...shared, personalTokens, secrets, confirmation: checkedUsers }),
    hashing,
  }
}
