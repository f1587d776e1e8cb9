import { accountForm } from '../../../http/account-form.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { linkWords } from '../../../http/words/recovery.ts'
import type { LinkForm } from '../link-form.ts'
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
