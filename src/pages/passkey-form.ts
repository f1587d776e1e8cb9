import type { PasskeyRefusalReason } from '../domain/accounts/passkeys/passkeys.ts'
import { formTokenField, type Html, html, t, type Words } from './html.ts'
import { passkeyErrorWords, ceremonyFaultWords as words } from './words/passkeys.ts'

/** Scripts required by a page with a passkey form. */
export const passkeyModules = ['simplewebauthn-browser.js', 'passkeys.js']

interface PasskeyForm {
  ceremony: 'registration' | 'sign-in'
  /** URL that issues the challenge. */
  challenge: string
  /** URL that receives the browser's response and returns the next URL. */
  action: string
  /** URL to open next, instead of the one in the response. */
  onwardTo?: string
  body: Html
}

/**
 * Renders a form that only `assets/passkeys.js` can submit. The stylesheet shows it only if scripts are enabled, so the
 * page doesn't shift when they start. The script hides it if the browser doesn't support passkeys.
 */
export function passkeyForm({ ceremony, challenge, action, onwardTo, body }: PasskeyForm): Html {
  return html`<form method="dialog" data-passkey="${ceremony}" data-challenge="${challenge}" data-response="${action}"${
    onwardTo !== undefined && html` data-onward="${onwardTo}"`
  }>
${formTokenField}
${passkeyFault(ceremony)}
${body}</form>`
}

/** Renders the element in which the script shows errors. It contains all the error texts. */
export function passkeyFault(kind: PasskeyForm['ceremony'] | 'proof'): Html {
  const { refused } = words
  return html`<div class="notice bad" role="alert" data-passkey-fault data-unreachable="${t`The service can’t be reached. Check your connection and try again.`}" data-failed="${t`Something went wrong. Try again in a moment.`}"
data-registered-before="${t`This device already has a passkey for your account.`}" data-no-verification="${t`This device can’t verify that it’s you. Set up a screen lock, or use another device.`}" data-no-discoverable="${t`This device can’t store passkeys. Use another device.`}"
data-refused="${refused[kind]}" data-other="${t`Your browser or device couldn’t complete this. Try again, or use another one.`}" hidden></div>`
}

interface PasskeyError {
  status: 403 | 422
  message: Words
}

/** Returns the status and message for a passkey refusal, for pages and their scripts. */
export function passkeyError(reason: PasskeyRefusalReason): PasskeyError {
  return { status: reason === 'sign-in-again' ? 403 : 422, message: passkeyErrorWords[reason] }
}
