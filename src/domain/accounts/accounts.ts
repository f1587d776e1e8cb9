import type { AccountParts } from './account-parts.ts'
import { createAccountSettings, createSessionPin } from './account-settings.ts'
import { createCredentialHashing, type HashingCost } from './credential-hashing.ts'
import { MailLimits } from './mail/mail-limits.ts'
import { createPasswordSignIn } from './password-sign-in.ts'
import { createPersonalTokens, type PersonalTokenStore } from './personal-tokens/personal-tokens.ts'
import type { OneTimeLinkStore } from './recovery/one-time-link-store.ts'
import { createRecovery } from './recovery/recovery.ts'
import { createSessions, type SessionStore } from './sessions/sessions.ts'
import { createKnownDevices, SignInLimits } from './sessions/sign-in-limits.ts'
import { createUsers } from './users.ts'

export { AccountRefusal } from './account-refusal.ts'
export type { BrowserInfo, Session, StartedSession } from './sessions/sessions.ts'
export type { User } from './user-store.ts'

export interface AccountsParts extends Pick<AccountParts, 'users' | 'mail' | 'audit' | 'secrets' | 'clock'> {
  sessions: SessionStore
  links: OneTimeLinkStore
  personalTokens: PersonalTokenStore
  signUp: 'open' | 'closed'
  /** Cost of password and PIN hashes. `undefined` uses the production cost. */
  hashingCost: HashingCost | undefined
}

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(parts: AccountsParts) {
  const { users, sessions, links, personalTokens, mail, audit, secrets, clock, signUp, hashingCost } = parts
  const signUpOpen = signUp === 'open'
  const hashing = createCredentialHashing({ peppers: secrets.keysFor('password pepper'), cost: hashingCost })
  const devices = createKnownDevices(secrets.keysFor('known device'))
  const [signInLimits, mailLimits] = [new SignInLimits(), new MailLimits()]
  const shared = { users, mail, hashing, signInLimits, mailLimits, devices, audit, clock }
  const started = createSessions({ sessions, audit, secrets, clock })
  const checkedUsers = createUsers(shared)
  return {
    signUpOpen,
    users: checkedUsers,
    passwords: createPasswordSignIn({ ...shared, sessions: started, signUpOpen }),
    sessions: started,
    pin: createSessionPin(shared),
    settings: createAccountSettings(shared),
    recovery: createRecovery({ ...shared, links, secrets }),
    personalTokens: createPersonalTokens({ ...shared, personalTokens, secrets, confirmation: checkedUsers }),
    hashing,
  }
}
