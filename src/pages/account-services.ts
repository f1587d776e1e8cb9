import type { Accounts } from '../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Passkeys } from '../domain/accounts/passkeys/passkeys.ts'
import type { Audit } from '../domain/audit/audit.ts'
import type { Authorization } from '../domain/authorization/authorization.ts'
import type { Clock } from '../domain/clock.ts'
import type { OutgoingEvents } from '../domain/subscriptions/outgoing-events.ts'
import type { Refusals } from '../http/request-metrics.ts'
import type { CookieJar } from '../http/request-origin.ts'
import type { AttemptFinder } from './destination.ts'
import type { PageGuard } from './page-guard.ts'

/** What the pages of a user's own account can use: sign-in, recovery, passkeys, linked accounts, and all under `/account`. */
export interface AccountServices {
  guard: PageGuard
  accounts: Accounts
  passkeys: Passkeys
  linkedAccounts: LinkedAccounts
  audit: Pick<Audit, 'ofUser'>
  authorization: AttemptFinder & Pick<Authorization, 'consents' | 'scopes'>
  events: Pick<OutgoingEvents, 'subscriptions' | 'log'>
  clock: Clock
  cookies: CookieJar
  refusals: Refusals
  portalUrl: string
}
