import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import type { Html } from '../../../pages/html.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import { signUpWords } from '../words.ts'

export interface SignUpForm {
  formToken: string
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  name: string
  email: string
  errors: FormErrors
}

export function signUpForm({ formToken, action, name, email, errors }: SignUpForm): Html {
  return accountForm({
    action,
    formToken,
    errors,
    does: signUpWords.does,
    fields: [
      textField({
        name: 'name',
        label: accountFieldWords.name,
        autocomplete: 'name',
        hint: accountFieldWords.nameHint,
        value: name,
        error: errors.fields.name,
        autofocus: !hasErrors(errors),
      }),
      textField({
        name: 'email',
        label: accountFieldWords.email,
        type: 'email',
        inputmode: 'email',
        autocomplete: 'username',
        value: email,
        error: errors.fields.email,
      }),
      textField({
        name: 'password',
        label: accountFieldWords.password,
        type: 'password',
        autocomplete: 'new-password',
        hint: accountFieldWords.passwordHint,
        error: errors.fields.password,
      }),
    ],
  })
}
