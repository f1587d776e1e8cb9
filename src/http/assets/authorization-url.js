// Makes the authorization URL while its parts are chosen; without scripts the form's button does it.

const form = document.querySelector('form[data-consent-address]')
const shown = document.querySelector('[data-testid="authorization-url"]')
const open = document.querySelector('a[data-open-authorization-url]')
const result = document.querySelector('[data-authorization-url-result]')
const missing = document.querySelector('[data-authorization-url-missing]')

function show() {
  const chosen = new FormData(form)
  const scopes = chosen.getAll('scope')
  const parameters = [
    ['client_id', form.dataset.clientId],
    ['redirect_uri', chosen.get('redirect_uri')],
    ['response_type', 'code'],
    ['scope', scopes.join(' ')],
  ]
  if (chosen.get('state')) parameters.push(['state', chosen.get('state')])
  if (chosen.get('consent')) parameters.push(['consent', chosen.get('consent')])
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const url = `${form.dataset.consentAddress}?${query}`
  result.hidden = scopes.length === 0
  missing.hidden = scopes.length > 0
  shown.textContent = scopes.length === 0 ? '' : url
  open.href = url
}

form.querySelector('button[type="submit"]').parentElement.hidden = true
form.addEventListener('input', show)
form.addEventListener('submit', (event) => event.preventDefault())
// The browser may have kept other choices over a reload.
show()
