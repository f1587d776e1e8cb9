import type { LiveLink } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { FormErrors } from '../../pages/account-form.ts'

export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  emailState: LiveLink['emailState']
  errors: FormErrors
}
