import { noErrors } from '../../../pages/account-form.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { welcomeWords } from '../welcome-words.ts'
import { signInWords } from '../words.ts'
import { signUpForm } from './sign-up-form.ts'

export interface WelcomeView {
  formToken: string
  /** Form action. Its query includes the authorization attempt, if any. `null` if sign-up is closed. */
  action: string | null
  /** Shell command for creating an account if sign-up is closed. */
  makeAccountLine: string
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
}

/** Renders the start page. Shown as long as there are no accounts. */
export function welcomePage({ formToken, action, makeAccountLine, applicationName }: WelcomeView): Html {
  return page({
    title: welcomeWords.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${welcomeWords.title}</h1>
${
  action === null
    ? html`<p>${welcomeWords.isNew}</p><p>${welcomeWords.closed}</p>${copyField({ label: welcomeWords.makeAccount, text: makeAccountLine })}`
    : html`<p>${welcomeWords.isNew} ${welcomeWords.about}</p>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${signUpForm({ formToken, action, name: '', email: '', errors: noErrors.errors })}
<p class="soft small">${welcomeWords.noRights}</p>`
}`,
  })
}
