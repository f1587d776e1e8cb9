import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Clock } from '../../domain/clock.ts'
import type { AttemptFinder } from '../../pages/destination.ts'
import type { Flash } from '../../pages/flash.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'

export interface PasskeyServices {
  guard: PageGuard
  sessions: BrowserSessions
  flash: Flash
  accounts: Pick<Accounts, 'passwords'>
  passkeys: Passkeys
  authorization: AttemptFinder
  clock: Clock
}
