import { type Html, html } from './html.ts'
import { ceremonyFaultWords as words } from './words/passkeys.ts'

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
${passkeyFault(ceremony)}
${body}</form>`
}

/** Where the script says what went wrong, with all that it may have to say. */
export function passkeyFault(kind: PasskeyForm['ceremony'] | 'proof'): Html {
  const { unreachable, failed, registeredBefore, noVerification, noDiscoverable, refused, other } = words
  return html`<div class="notice bad" role="alert" data-passkey-fault data-unreachable="${unreachable}" data-failed="${failed}"
data-registered-before="${registeredBefore}" data-no-verification="${noVerification}" data-no-discoverable="${noDiscoverable}"
data-refused="${refused[kind]}" data-other="${other}" hidden></div>`
}
