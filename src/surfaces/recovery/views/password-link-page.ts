import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { linkButton } from '../../../http/components/button.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

export interface PasswordLinkView {
  formToken: string
  email: string
  errors: FormErrors
}

const signIn = linkButton({ label: 'Sign in', href: '/sign-in', tone: 'plain' })

/** Asks where to send a link that sets a new password. */
export function passwordLinkPage({ formToken, email, errors }: PasswordLinkView): Html {
  return page({
    title: hasErrors(errors) ? 'No link sent' : 'Set a new password',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Set a new password</h1>
<p>Enter the e-mail address of your account. You get a link that lets you set a new password.</p>
${accountForm({
  action: '/forgot-password',
  formToken,
  errors,
  does: 'Send the link',
  fields: [
    textField({
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      inputmode: 'email',
      autocomplete: 'username',
      value: email,
      error: errors.fields.email,
      autofocus: true,
    }),
  ],
})}
<p>You know it after all? <a href="/sign-in">Sign in</a></p>`,
  })
}

/** The same for every address: it must not tell who has an account. */
export function linkMailedPage(): Html {
  return page({
    title: 'Look at your mail',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Look at your mail</h1>
<p>If the address you entered has an account here, a link is on its way to it. It works once, within 1 hour.</p>
<p>Nothing there after some minutes? Look among what is marked as spam, and check that you entered the address of your account.</p>
<div class="buttons">${signIn}${linkButton({ label: 'Enter another address', href: '/forgot-password', tone: 'quiet' })}</div>`,
  })
}

/** Where no mail server is configured. */
export function withoutMailPage(): Html {
  return page({
    title: 'Set a new password',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Set a new password</h1>
<p>This service sends no mail. Ask whoever runs it for a link: they can make one that lets you set a new password.</p>
<div class="buttons">${signIn}</div>`,
  })
}
