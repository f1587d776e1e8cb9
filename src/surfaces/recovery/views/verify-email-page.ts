import { accountForm } from '../../../pages/account-form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import type { LinkForm } from '../link-form.ts'
import { linkWords } from '../words.ts'
import { hiddenToken } from './hidden-token.ts'

const said = linkWords.email

export function verifyEmailPage({ formToken, clearTextToken, userName, email, errors }: LinkForm): Html {
  return page({
    title: said.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${said.heading}</h1>
<p>${said.about(userName, email)}</p>
${accountForm({
  action: '/verify-email',
  formToken,
  errors,
  does: said.does,
  fields: [hiddenToken(clearTextToken)],
})}`,
  })
}
