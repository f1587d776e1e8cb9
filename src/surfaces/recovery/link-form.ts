import type { LiveLink } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { FormErrors } from '../../pages/account-errors.ts'

/** View of a one-time link's form. */
export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  emailState: LiveLink['emailState']
  errors: FormErrors
}
