import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Passkeys } from '../../domain/accounts/passkeys.ts'
import type { Clock } from '../../domain/clock.ts'
import type { AttemptFinder } from '../../http/attempt-in-address.ts'
import type { FormTokens } from '../../http/form-token.ts'
import type { BrowserSessions } from '../../http/sessions.ts'

export interface PasskeyRooms {
  accounts: Accounts
  passkeys: Passkeys
  authorization: AttemptFinder
  sessions: BrowserSessions
  formTokens: FormTokens
  clock: Clock
}
