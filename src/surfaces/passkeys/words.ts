import { t } from '../../pages/html.ts'

/** Error messages for script requests. */
export const ceremonyErrorWords = {
  'signed-out': t`You are signed out. Sign in and try again.`,
  'form-token-invalid': t`This page is out of date. Reload it and try again.`,
  'form-from-elsewhere': t`Another site sent this request. Open the page here and try again.`,
  'form-at-other-address': t`The service is set up for another address than this page has. Tell the operator.`,
  'account-gone': t`This passkey’s account no longer exists. Use another passkey.`,
  'account-disabled': t`This account is disabled. Contact the operator.`,
  'request-malformed': t`The browser sent an unreadable request. Reload the page and try again.`,
  'data-away': t`The service can’t reach its database. Try again in a moment.`,
  fault: t`Something failed on our side. Try again in a moment.`,
}
