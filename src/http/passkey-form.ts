import { type Html, html } from './html.ts'

/** The modules of a page with a passkey form: the library, then ours that uses it. */
export const passkeyModules = ['simplewebauthn-browser.js', 'passkeys.js']

export interface PasskeyForm {
  ceremony: 'registration' | 'sign-in'
  /** Where options for the browser are asked for. */
  challenge: string
  /** Where the browser's answer is sent; it tells where to go then. */
  action: string
  /** Where to go instead. */
  onwardTo?: string
  formToken: string
  body: Html
}

/**
 * A form that `assets/passkeys.js` sends, as a dialog's would by itself lead nowhere. The stylesheet lays it out where
 * scripts run, so that nothing moves when they begin, and takes it away where the script finds that it can not work.
 */
export function passkeyForm({ ceremony, challenge, action, onwardTo, formToken, body }: PasskeyForm): Html {
  return html`<form method="dialog" data-passkey="${ceremony}" data-challenge="${challenge}" data-response="${action}"${
    onwardTo !== undefined && html` data-onward="${onwardTo}"`
  }>
<input type="hidden" name="form_token" value="${formToken}">
<div class="notice bad" role="alert" data-passkey-fault hidden></div>
${body}</form>`
}
