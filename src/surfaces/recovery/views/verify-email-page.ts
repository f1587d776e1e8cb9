import { accountForm } from '../../../http/account-form.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import type { LinkForm } from '../link-form.ts'
import { hiddenToken } from './hidden-token.ts'

export function verifyEmailPage({ formToken, clearTextToken, userName, email, errors }: LinkForm): Html {
  return page({
    title: 'Confirm your e-mail address',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Confirm your address</h1>
<p><strong>${email}</strong> becomes the confirmed address of the account of <strong>${userName}</strong>. If that is not your account, close this page: nothing happens then.</p>
${accountForm({
  action: '/verify-email',
  formToken,
  errors,
  does: 'Confirm this address',
  fields: [hiddenToken(clearTextToken)],
})}`,
  })
}
