// Signs in with a passkey, adds one, and proves by one who is there. Each form that needs this is taken away
// where it can not work; `SimpleWebAuthnBrowser` is the module that the page names before this one.

const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser

// A passkey belongs to a host name; browsers make none for a bare address.
const bareAddress = /^[\d.]+$|^\[/.test(location.hostname)
const usable = browserSupportsWebAuthn() && !bareAddress

/** What went wrong: the name of the words for it, which the form has, or words that the service has sent. */
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

/** @param said all that the form may have to say, by its names. */
function wordsFor(error, said) {
  if (error instanceof Fault) return error.message || said[error.name]
  return said[namesOfCodes[error.code] ?? (error.name === 'NotAllowedError' ? 'refused' : 'other')]
}

/** Runs the ceremony of a form; resolves with the browser's answer as text. */
async function ceremony(form, kind, challenge, how = {}) {
  const optionsJSON = await post(challenge, { form_token: form.elements.form_token.value })
  const start = kind === 'registration' ? startRegistration : startAuthentication
  return JSON.stringify(await start({ ...how, optionsJSON }))
}

/** Sends the browser's answer with the fields of its form, and goes on. */
async function finish(form, response) {
  const { response: address, onward } = form.dataset
  const { location: next } = await post(address, { ...Object.fromEntries(new FormData(form)), response })
  location.assign(onward ?? next)
}

/** Runs `work` unless the form is at work already; what goes wrong is said in the form. */
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

/** A challenge is good for five minutes; one older than this is replaced when the field is entered again. */
const offerGoodForMs = 4 * 60_000

/** Lets the browser offer passkeys in its own list at this field. Nobody asked for it, so only its success shows. */
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
      // The button was pressed meanwhile, or the service is away. The next time the field is entered it is offered anew.
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

  // An ordinary form that takes a passkey in place of the password: asked for when the password is left empty.
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
