import { button, buttonRow } from '../../../http/components/button.ts'
import { type Html, html } from '../../../http/html.ts'
import { accountWords } from '../../../http/words/account.ts'

/** The attempt on whose way a page is, and who is signed in there. */
export interface AttemptAhead {
  id: string
  userId: string
  applicationName: string
}

/** The way back to the application: denies its request, as Deny on the consent page does. */
export function cancelForm({ id, userId }: AttemptAhead, formToken: string): Html {
  return html`<form method="post" action="/auth/consent">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="attempt" value="${id}">
<input type="hidden" name="user" value="${userId}">
<input type="hidden" name="decision" value="deny">
${buttonRow(button({ label: accountWords.cancel, tone: 'quiet' }))}
</form>`
}
