// Updates the authorization URL when the form changes, and generates PKCE pairs. Without scripts,
// submitting the form loads a page with the new values.

const form = document.querySelector('form[data-consent-address]')
const shown = document.querySelector('[data-testid="authorization-url"]')
const open = document.querySelector('a[data-open-authorization-url]')
const result = document.querySelector('[data-authorization-url-result]')
const missing = document.querySelector('[data-authorization-url-missing]')
const pair = document.querySelector('[data-pkce-pair]')
const verifier = pair.querySelector('[data-testid="code-verifier"]')
const challenge = pair.querySelector('[data-testid="code-challenge"]')
const another = pair.querySelector('[data-new-pkce-pair]')
const pkceMissing = document.querySelector('[data-pkce-missing]')

// Browsers support digests only on secure pages (https or localhost). On other pages, the service generates the pairs.
const digests = crypto.subtle !== undefined

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

async function makePair() {
  const made = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(made))
  verifier.textContent = made
  challenge.textContent = base64url(new Uint8Array(digest))
}

async function show() {
  const chosen = new FormData(form)
  const scopes = chosen.getAll('scope')
  const pkce = chosen.get('pkce') !== null
  if (pkce && challenge.textContent === '') {
    if (!digests) return form.submit()
    await makePair()
  }
  pair.hidden = !pkce
  if (pkceMissing !== null) pkceMissing.hidden = pkce
  const parameters = [
    ['client_id', form.dataset.clientId],
    ['redirect_uri', chosen.get('redirect_uri')],
    ['response_type', 'code'],
    ['scope', scopes.join(' ')],
  ]
  if (chosen.get('state')) parameters.push(['state', chosen.get('state')])
  if (chosen.get('consent')) parameters.push(['consent', chosen.get('consent')])
  if (pkce) parameters.push(['code_challenge', challenge.textContent], ['code_challenge_method', 'S256'])
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const url = `${form.dataset.consentAddress}?${query}`
  result.hidden = scopes.length === 0
  missing.hidden = scopes.length > 0
  shown.textContent = scopes.length === 0 ? '' : url
  open.href = url
}

const tryThese = form.querySelector('button[formaction]')
form.querySelector('button[type="submit"]:not([formaction])').hidden = true
form.addEventListener('input', show)
form.addEventListener('submit', (event) => {
  if (event.submitter !== tryThese) event.preventDefault()
})
another.hidden = !digests
another.addEventListener('click', async () => {
  await makePair()
  show()
})
// After a reload, the browser may have restored other choices.
show()
