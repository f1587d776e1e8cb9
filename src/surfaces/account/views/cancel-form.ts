import { button, buttonRow } from '../../../pages/components/button.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

/** The authorization attempt that the Cancel button ends. `userId` is the signed-in user's ID. */
export interface PendingAttempt {
  id: string
  userId: string
  applicationName: string
}

/** Renders the Cancel button, which denies the application's request just like Deny on the consent page. */
export function cancelForm({ id, userId }: PendingAttempt, formToken: string): Html {
  return html`<form method="post" action="/auth/consent">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="attempt" value="${id}">
<input type="hidden" name="user" value="${userId}">
<input type="hidden" name="decision" value="deny">
${buttonRow(button({ label: accountWords.cancel, tone: 'quiet' }))}
</form>`
}
