import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Clock } from '../../domain/clock.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import type { KeptFormServices } from '../../pages/kept-form.ts'
import type { AttemptFinder } from '../../pages/onward.ts'

export interface PasskeyServices extends KeptFormServices {
  accounts: Pick<Accounts, 'passwords'>
  passkeys: Passkeys
  authorization: AttemptFinder
  formTokens: FormTokens
  clock: Clock
}
