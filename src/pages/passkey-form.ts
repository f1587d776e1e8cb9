import type { PasskeyRefusalReason } from '../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../domain/limits/limits.ts'
import { formTokenField, type Html, html, t, type Words } from './html.ts'

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
 * Renders a form that only `assets/passkeys.js` submits. The stylesheet hides it without scripts, so that the page
 * doesn't shift when they start; the script hides it if the browser doesn't support passkeys.
 */
export function passkeyForm({ ceremony, challenge, action, onwardTo, body }: PasskeyForm): Html {
  return html`<form method="dialog" data-passkey="${ceremony}" data-challenge="${challenge}" data-response="${action}"${
    onwardTo !== undefined && html` data-onward="${onwardTo}"`
  }>
${formTokenField}
${passkeyFault(ceremony)}
${body}</form>`
}

const passkeyErrorWords: Record<PasskeyRefusalReason, Words> = {
  'response-malformed': t`The browser sent an invalid response. Try again, or use another browser.`,
  'challenge-unknown': t`This took longer than 5 minutes, or was already submitted. Try again.`,
  'passkey-unknown': t`Unknown passkey. It may have been removed or belong to another account. Use another one.`,
  'verification-failed': t`This passkey couldn’t be verified. Open this page at its usual URL and try again.`,
  'counter-behind': t`This passkey may have been copied: its signature counter didn’t increase. Sign in another way, remove it, and add a new one.`,
  'passkey-taken': t`This passkey is already registered.`,
  'too-many-passkeys': t`You have the maximum of ${limits.passkeysPerUser} passkeys. Remove one that you no longer use.`,
  'name-too-long': t`Use a name of at most ${limits.passkeyNameMaxCharacters} characters.`,
  'no-passkey': t`You don’t have a passkey. Add one on your account page first.`,
  'sign-in-again': t`You signed in more than 15 minutes ago. Sign in again to add or remove passkeys.`,
  'last-way-to-sign-in': t`You can’t remove your only way to sign in. First add another passkey, set a password, or link an account.`,
}

/** Text that the script shows in a passkey form if the browser returns no passkey. */
const refused = {
  registration: t`No passkey added: you cancelled, or it took too long. Try again.`,
  'sign-in': t`No passkey used: you cancelled, it took too long, or this device has no passkey. Try again, or sign in another way.`,
  proof: t`No passkey used: you cancelled, or it took too long. Try again, or enter your password.`,
}

/** Renders the element in which the script shows errors. It contains all the error texts. */
export function passkeyFault(kind: PasskeyForm['ceremony'] | 'proof'): Html {
  return html`<div class="notice bad" role="alert" data-passkey-fault data-unreachable="${t`The service can’t be reached. Check your connection and try again.`}" data-failed="${t`Something went wrong. Try again in a moment.`}"
data-registered-before="${t`This device already has a passkey for your account.`}" data-no-verification="${t`This device can’t verify that it’s you. Set up a screen lock, or use another device.`}" data-no-discoverable="${t`This device can’t store passkeys. Use another device.`}"
data-refused="${refused[kind]}" data-other="${t`Your browser or device couldn’t complete this. Try again, or use another one.`}" hidden></div>`
}

export function passkeyError(reason: PasskeyRefusalReason): { status: 403 | 422; message: Words } {
  return { status: reason === 'sign-in-again' ? 403 : 422, message: passkeyErrorWords[reason] }
}
