import type { LiveLink } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { FormErrors } from '../../pages/account-errors.ts'

/** What a link's page needs: the form's two tokens, whose account it is, and what was wrong. */
export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  emailState: LiveLink['emailState']
  errors: FormErrors
}
