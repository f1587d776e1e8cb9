// Signs in with a passkey, adds one, and proves by one who is there. Each form that needs this is taken away
// where it can not work; `SimpleWebAuthnBrowser` is the module that the page names before this one.

const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser

// A passkey belongs to a host name; browsers make none for a bare address.
const bareAddress = /^[\d.]+$|^\[/.test(location.hostname)
const usable = browserSupportsWebAuthn() && !bareAddress

/** What went wrong, in words for the person. */
class Fault extends Error {}

async function post(address, fields) {
  let answer
  try {
    answer = await fetch(address, { method: 'POST', body: new URLSearchParams(fields) })
  } catch {
    throw new Fault('The service can not be reached. Check your connection and try again.')
  }
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Fault(body.message ?? 'Something failed on our side. Try again in a moment.')
  return body
}

const wordsOfCode = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device holds a passkey for your account already.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This device can not check who you are. Set up its lock first, or use another device.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    'This device can not keep a passkey. Use another device.',
}

const wordsOfRefusal = {
  registration: 'Nothing was added: your device took too long, or you cancelled. Try again when you are ready.',
  'sign-in':
    'No passkey was used: your device has none for this service, took too long, or you cancelled. Try again, or sign in another way.',
  proof: 'No passkey was used: your device took too long, or you cancelled. Try again, or give your password.',
}

function wordsFor(error, kind) {
  if (error instanceof Fault) return error.message
  const words = wordsOfCode[error.code]
  if (words !== undefined) return words
  return error.name === 'NotAllowedError' || error.code === 'ERROR_CEREMONY_ABORTED'
    ? wordsOfRefusal[kind]
    : 'Your browser or device could not do this. Try again, or use another one.'
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
async function once(form, kind, work) {
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
    words.textContent = wordsFor(error, kind)
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
      once(form, kind, () => finish(form, response))
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
      once(form, kind, async () => finish(form, await ceremony(form, kind, challenge)))
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
        once(form, 'proof', async () => {
          passkey.value = await ceremony(form, 'proof', form.dataset.passkeyProof)
          form.submit()
        })
      },
      { capture: true },
    )
  }
}
