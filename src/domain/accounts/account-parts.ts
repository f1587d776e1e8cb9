import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../ids-and-secrets.ts'
import type { CredentialHashing } from './credential-hashing.ts'
import type { MailLimits } from './mail/mail-limits.ts'
import type { OutgoingMail } from './mail/outgoing-mail.ts'
import type { KnownDevices, SignInLimits } from './sessions/sign-in-limits.ts'
import type { UserStore } from './user-store.ts'

export interface AccountParts {
  users: UserStore
  /** `undefined` if no mail server is configured. */
  mail: OutgoingMail | undefined
  hashing: CredentialHashing
  signInLimits: SignInLimits
  mailLimits: MailLimits
  devices: KnownDevices
  audit: Audit
  secrets: Secrets
  clock: Clock
}
