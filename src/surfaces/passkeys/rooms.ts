import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Passkeys } from '../../domain/accounts/passkeys.ts'
import type { Clock } from '../../domain/clock.ts'
import type { FormTokens } from '../../http/form-token.ts'
import type { KeptFormRooms } from '../../http/kept-form.ts'
import type { AttemptFinder } from '../../http/onward.ts'

export interface PasskeyRooms extends KeptFormRooms {
  accounts: Accounts
  passkeys: Passkeys
  authorization: AttemptFinder
  formTokens: FormTokens
  clock: Clock
}
