import { accountFormPage, emailField } from '../../../pages/account-form.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { type Filled, form } from '../../../pages/form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'

const signIn = (href: string) => linkButton({ label: t`Sign in`, href, tone: 'plain' })

export const passwordLinkForm = form(
  { email: emailField({ autocomplete: 'username', autofocus: true }) },
  { showsFirst: true },
)

interface PasswordLinkView {
  action: string
  formToken: string
  filled: Filled<{ email: string }>
  signInAddress: string
}

/** Renders the form for requesting a link to set a new password. */
export function passwordLinkPage({ action, formToken, filled, signInAddress }: PasswordLinkView): Html {
  return accountFormPage(passwordLinkForm, filled, {
    title: t`Set a new password`,
    failed: t`No link sent`,
    place: identityPlace,
    formToken,
    about: html`<p>${t`Enter your account’s email address. You’ll get a link to set a new password.`}</p>`,
    action,
    does: t`Send link`,
    after: html`<p>${t.html`Remember your password? <a href="${signInAddress}">Sign in</a>`}</p>`,
  })
}

/** Renders the same page for every email address, so that it doesn't reveal which addresses have an account. */
export function linkMailedPage({ signInAddress, again }: { signInAddress: string; again: string }): Html {
  return page({
    title: t`Check your email`,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${t`Check your email`}</h1>
<p>${t`If this address has an account, a link is on its way. It works once, for 1 hour.`}</p>
<p>${t`No email after a few minutes? Check your spam folder and the address you entered.`}</p>
<div class="buttons">${signIn(signInAddress)}${linkButton({ label: t`Enter another address`, href: again, tone: 'quiet' })}</div>`,
  })
}

/** Renders the page shown if no mail server is configured. */
export function withoutMailPage(signInAddress: string): Html {
  return page({
    title: t`Set a new password`,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${t`Set a new password`}</h1>
<p>${t`This service sends no email. Ask the operator for a link to set a new password.`}</p>
<div class="buttons">${signIn(signInAddress)}</div>`,
  })
}
