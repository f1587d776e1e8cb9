import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { card } from '../../pages/components/elements.ts'
import { codeSample } from '../../pages/components/secrets.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { UrlChoices } from './authorization-url.ts'

/** Renders code samples with the application's values and the choices, whose scopes a browser module updates. */
export function exchangeSection(application: OwnedApplication, baseUrl: string, choices: UrlChoices): Html {
  const values = {
    baseUrl,
    clientId: application.clientId,
    redirectUri: choices.redirectUri,
    scope: html`<span data-chosen="scope">${choices.scopes.join(' ')}</span>`,
    withPkce: (lines: string) => (choices.pkce === undefined ? '' : lines),
  }
  return card({
    id: 'exchange',
    title: t`Exchange the code`,
    body: html`<p>${t.html`A code works once, for 5 minutes. Access tokens last 15 minutes. With <code>offline_access</code> you also get a refresh token. It lasts 30 days and is replaced at each use.`}</p>
${codeSample({
  name: 'exchange-language',
  title: t`Exchange the code`,
  samples: [
    { language: 'curl', code: curl(values) },
    { language: 'openid-client', code: openidClient(values) },
    { language: 'Auth.js', code: authJs(values) },
    { language: 'Passport', code: passport(values) },
    { language: 'Authlib', code: authlib(values) },
    { language: 'Python', code: python(values) },
  ],
})}
<dl class="small">
<dt>${t`Metadata`}</dt><dd><code>${baseUrl}/.well-known/oauth-authorization-server</code></dd>
<dt>Token</dt><dd><code>${baseUrl}/api/oauth/token</code></dd>
<dt>Userinfo</dt><dd><code>${baseUrl}/api/oauth/userinfo</code></dd>
<dt>Revoke</dt><dd><code>${baseUrl}/api/oauth/revoke</code></dd>
</dl>
<p><a href="/reference">${t`API reference`}</a> · <a href="/guides/sign-in">${t`Guide: sign users in`}</a></p>`,
  })
}

interface Values {
  baseUrl: string
  clientId: string
  redirectUri: string
  scope: Html
  /** Returns the lines if PKCE is chosen, otherwise nothing. */
  withPkce(lines: string): string
}

function curl({ baseUrl, clientId, redirectUri, withPkce }: Values): Html {
  return html`curl ${baseUrl}/api/oauth/token \\
  -d grant_type=authorization_code \\
  -d client_id=${clientId} \\
  -d client_secret="$CLIENT_SECRET" \\
  --data-urlencode redirect_uri='${redirectUri}' \\
${withPkce('  -d code_verifier="$CODE_VERIFIER" \\\n')}  -d code="$CODE"

curl ${baseUrl}/api/oauth/userinfo \\
  -H "Authorization: Bearer $ACCESS_TOKEN"`
}

function openidClient({ baseUrl, clientId, redirectUri, scope, withPkce }: Values): Html {
  const insecure = baseUrl.startsWith('http:')
  return html`import * as oauth from 'openid-client'

// clientSecret comes from your server's settings.
const config = await oauth.discovery(
  new URL('${baseUrl}'),
  '${clientId}',
  clientSecret,
  undefined,
  { algorithm: 'oauth2'${insecure ? ', execute: [oauth.allowInsecureRequests]' : ''} },
)

// Send the browser to this URL, and keep the values for the later checks in its session.
const expectedState = oauth.randomState()
${withPkce('const pkceCodeVerifier = oauth.randomPKCECodeVerifier()\n')}const url = oauth.buildAuthorizationUrl(config, {
  redirect_uri: '${redirectUri}',
  scope: '${scope}',
  state: expectedState,
${withPkce("  code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),\n  code_challenge_method: 'S256',\n")}})

// In the handler of the redirect URI:
const tokens = await oauth.authorizationCodeGrant(config, currentUrl, { expectedState${withPkce(', pkceCodeVerifier')} })
const answer = await oauth.fetchProtectedResource(
  config,
  tokens.access_token,
  new URL('${baseUrl}/api/oauth/userinfo'),
  'GET',
)
const person = await answer.json()`
}

function authJs({ baseUrl, clientId, scope, withPkce }: Values): Html {
  return html`// An entry of providers; clientSecret comes from your server's settings.
{
  id: 'gatehouse',
  name: 'Gatehouse',
  type: 'oauth',
  issuer: '${baseUrl}',
  authorization: { url: '${baseUrl}/auth/consent', params: { scope: '${scope}' } },
  token: '${baseUrl}/api/oauth/token',
  userinfo: '${baseUrl}/api/oauth/userinfo',
  clientId: '${clientId}',
  clientSecret,
  checks: [${withPkce("'pkce', ")}'state'],
  profile: (person) => ({ id: person.sub, name: person.name ?? null }),
}`
}

function passport({ baseUrl, clientId, redirectUri, scope, withPkce }: Values): Html {
  return html`import OAuth2Strategy from 'passport-oauth2'

// clientSecret comes from your server's settings. Checking the state requires a session.
const strategy = new OAuth2Strategy(
  {
    authorizationURL: '${baseUrl}/auth/consent',
    tokenURL: '${baseUrl}/api/oauth/token',
    clientID: '${clientId}',
    clientSecret,
    callbackURL: '${redirectUri}',
    scope: '${scope}',
    state: true,
${withPkce('    pkce: true,\n')}  },
  verify,
)
// Gatehouse accepts access tokens only in the header.
strategy._oauth2.useAuthorizationHeaderforGET(true)
strategy.userProfile = function (accessToken, done) {
  this._oauth2.get('${baseUrl}/api/oauth/userinfo', accessToken, (error, body) => {
    if (error) done(error)
    else done(null, JSON.parse(body))
  })
}
passport.use('gatehouse', strategy)`
}

function authlib({ baseUrl, clientId, redirectUri, scope, withPkce }: Values): Html {
  return html`import os
from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session(
    '${clientId}',
    os.environ['CLIENT_SECRET'],
    scope='${scope}',
    redirect_uri='${redirectUri}',
${withPkce("    code_challenge_method='S256',\n")})
# Keep what you check afterwards in the person's session.
${withPkce('# code_verifier: generate_token(48) of authlib.common.security.\n')}url, state = session.create_authorization_url('${baseUrl}/auth/consent'${withPkce(', code_verifier=code_verifier')})

# In the handler of the redirect URI:
session.fetch_token(
    '${baseUrl}/api/oauth/token',
    authorization_response=current_url,
    state=state,
${withPkce('    code_verifier=code_verifier,\n')})
person = session.get('${baseUrl}/api/oauth/userinfo').json()`
}

function python({ baseUrl, clientId, redirectUri, scope, withPkce }: Values): Html {
  return html`import os, requests
from urllib.parse import urlencode

# Send the browser to this URL, and keep the values for the later checks in its session.
url = '${baseUrl}/auth/consent?' + urlencode({
    'client_id': '${clientId}',
    'redirect_uri': '${redirectUri}',
    'response_type': 'code',
    'scope': '${scope}',
    'state': state,
${withPkce("    'code_challenge': code_challenge,\n    'code_challenge_method': 'S256',\n")}})

# In the handler of the redirect URI:
tokens = requests.post('${baseUrl}/api/oauth/token', data={
    'grant_type': 'authorization_code',
    'client_id': '${clientId}',
    'client_secret': os.environ['CLIENT_SECRET'],
    'redirect_uri': '${redirectUri}',
    'code': code,
${withPkce("    'code_verifier': code_verifier,\n")}}).json()

person = requests.get('${baseUrl}/api/oauth/userinfo', headers={
    'Authorization': 'Bearer ' + tokens['access_token'],
}).json()`
}
