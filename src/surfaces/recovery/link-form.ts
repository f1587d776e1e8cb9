import type { FormErrors } from '../../http/account-errors.ts'

/** What a link's page needs: the form's two tokens, whose account it is, and what was wrong. */
export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  errors: FormErrors
}
