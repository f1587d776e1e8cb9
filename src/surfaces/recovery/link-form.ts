import type { LiveLink } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { FormErrors } from '../../pages/account-errors.ts'

/** The view of a one-time link: the form's two tokens, the account, and errors. */
export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  emailState: LiveLink['emailState']
  errors: FormErrors
}
