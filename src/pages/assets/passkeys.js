// Signs in with a passkey, adds a passkey, and confirms the user's identity with one. Hides the passkey forms if the
// browser doesn't support passkeys. The page loads `SimpleWebAuthnBrowser` before this script.

const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser

// Passkeys are tied to a host name. Browsers don't create them for IP addresses.
const bareAddress = /^[\d.]+$|^\[/.test(location.hostname)
const usable = browserSupportsWebAuthn() && !bareAddress

/** An error in a passkey form: either a message from the service, or the name of one of the form's error texts. */
class Fault extends Error {
  constructor(name, message) {
    super(message)
    this.name = name
  }
}

async function post(address, fields) {
  let answer
  try {
    answer = await fetch(address, { method: 'POST', body: new URLSearchParams(fields) })
  } catch {
    throw new Fault('unreachable')
  }
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Fault('failed', body.message)
  return body
}

const namesOfCodes = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'registeredBefore',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: 'noVerification',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'noDiscoverable',
  ERROR_CEREMONY_ABORTED: 'refused',
}

/** @param said the form's error texts, by name. */
function wordsFor(error, said) {
  if (error instanceof Fault) return error.message || said[error.name]
  return said[namesOfCodes[error.code] ?? (error.name === 'NotAllowedError' ? 'refused' : 'other')]
}

/** Runs a WebAuthn ceremony. Resolves with the browser's response as a JSON string. */
async function ceremony(form, kind, challenge, how = {}) {
  const optionsJSON = await post(challenge, { form_token: form.elements.form_token.value })
  const start = kind === 'registration' ? startRegistration : startAuthentication
  return JSON.stringify(await start({ ...how, optionsJSON }))
}

/** Posts the browser's response with the form's fields, then opens the next page. */
async function finish(form, response) {
  const { response: address, onward } = form.dataset
  const { location: next } = await post(address, { ...Object.fromEntries(new FormData(form)), response })
  location.assign(onward ?? next)
}

/** Runs `work` unless the form is busy. Shows any error in the form. */
async function once(form, work) {
  if (form.dataset.busy === 'true') return
  const fault = form.querySelector('[data-passkey-fault]')
  const buttons = form.querySelectorAll('button')
  form.dataset.busy = 'true'
  fault.hidden = true
  fault.textContent = ''
  for (const button of buttons) button.setAttribute('aria-disabled', 'true')
  try {
    await work()
  } catch (error) {
    fault.hidden = false
    const words = document.createElement('p')
    words.textContent = wordsFor(error, fault.dataset)
    fault.append(words)
  } finally {
    delete form.dataset.busy
    for (const button of buttons) button.removeAttribute('aria-disabled')
  }
}

/**
 * Maximum age of a challenge when the field regains focus. An older one is replaced, because challenges expire after
 * five minutes.
 */
const offerGoodForMs = 4 * 60_000

/**
 * Lets the browser offer passkeys in the field's autofill list. Errors are not shown, because the user didn't ask for a
 * passkey.
 */
function offerInField(field, form) {
  let offeredAtMs
  const offer = async () => {
    const nowMs = Date.now()
    if (form.dataset.busy === 'true' || nowMs - offeredAtMs < offerGoodForMs) return
    offeredAtMs = nowMs
    const { passkey: kind, challenge } = form.dataset
    try {
      const response = await ceremony(form, kind, challenge, { useBrowserAutofill: true })
      once(form, () => finish(form, response))
    } catch {
      // The user pressed the button instead, or the service is unreachable. Try again when the field next gets focus.
      if (offeredAtMs === nowMs) offeredAtMs = undefined
    }
  }
  field.addEventListener('focus', offer)
  if (document.activeElement === field) offer()
}

document.documentElement.classList.toggle('without-passkeys', !usable)

if (usable) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const { passkey: kind, challenge } = form.dataset
      once(form, async () => finish(form, await ceremony(form, kind, challenge)))
    })
  }

  const field = document.querySelector('input[autocomplete$="webauthn"]')
  const form = document.querySelector('form[data-passkey="sign-in"]')
  if (field !== null && form !== null && (await browserSupportsWebAuthnAutofill())) offerInField(field, form)

  // In forms that accept a passkey instead of the password, an empty password field means that the user wants to use a
  // passkey.
  for (const form of document.querySelectorAll('form[data-passkey-proof]')) {
    form.addEventListener(
      'submit',
      (event) => {
        const { password, passkey } = form.elements
        if (password !== undefined && password.value !== '') return
        event.preventDefault()
        event.stopImmediatePropagation()
        once(form, async () => {
          passkey.value = await ceremony(form, 'proof', form.dataset.passkeyProof)
          form.submit()
        })
      },
      { capture: true },
    )
  }
}
