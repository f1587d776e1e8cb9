import { accountForm, emailField, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { passwordLinkWords as said } from '../words.ts'

interface PasswordLinkView {
  action: string
  formToken: string
  email: string
  errors: FormErrors
  signInAddress: string
}

const signIn = (href: string) => linkButton({ label: said.signIn, href, tone: 'plain' })

/** Renders the form for requesting a link to set a new password. */
export function passwordLinkPage({ action, formToken, email, errors, signInAddress }: PasswordLinkView): Html {
  return page({
    title: hasErrors(errors) ? said.refused : said.title,
    place: identityPlace,
    formToken,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.about}</p>
${accountForm({
  action,
  errors,
  does: said.does,
  fields: [emailField(errors, { autocomplete: 'username', value: email, autofocus: true })],
})}
<p>${said.knowIt(signInAddress)}</p>`,
  })
}

/** Renders the same page for every email address, so that it doesn't reveal which addresses have an account. */
export function linkMailedPage({ signInAddress, again }: { signInAddress: string; again: string }): Html {
  return page({
    title: said.mailed.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${said.mailed.title}</h1>
<p>${said.mailed.onItsWay}</p>
<p>${said.mailed.nothingThere}</p>
<div class="buttons">${signIn(signInAddress)}${linkButton({ label: said.mailed.another, href: again, tone: 'quiet' })}</div>`,
  })
}

/** Renders the page shown if no mail server is configured. */
export function withoutMailPage(signInAddress: string): Html {
  return page({
    title: said.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.withoutMail}</p>
<div class="buttons">${signIn(signInAddress)}</div>`,
  })
}
