import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { accountFieldWords, signUpWords } from '../../../http/words/sign-in.ts'

export interface SignUpForm {
  formToken: string
  /** Where the form is sent, with the attempt. */
  action: string
  name: string
  email: string
  errors: FormErrors
  /** It was the welcome page that asked: afterwards the person goes back there. */
  first: boolean
}

/** Asks for what an account needs. */
export function signUpForm({ formToken, action, name, email, errors, first }: SignUpForm): Html {
  return accountForm({
    action,
    formToken,
    errors,
    does: signUpWords.does,
    fields: [
      first && html`<input type="hidden" name="first" value="1">`,
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
