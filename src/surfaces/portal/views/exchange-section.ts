import { section } from '../../../http/components/card.ts'
import { codeSample } from '../../../http/components/code-sample.ts'
import { type Html, html } from '../../../http/html.ts'
import type { ApplicationView } from './application-view.ts'

/** What the application's server does with the code: ready-made calls with this application's own values. */
export function exchangeSection({ application, baseUrl, choices }: ApplicationView): Html {
  const values = { baseUrl, clientId: application.clientId, redirectUri: choices.redirectUri }
  return section({
    id: 'exchange',
    title: 'Exchange the code',
    about: html`<p>A code works once, for 5 minutes. Access tokens live for 15 minutes; with <code>offline_access</code> you also get a refresh token, for 30 days and a new one at each use.</p>`,
    body: html`${codeSample({
      name: 'exchange-language',
      title: 'Exchange the code',
      samples: [
        { language: 'curl', code: curl(values) },
        { language: 'JavaScript', code: javascript(values) },
        { language: 'Python', code: python(values) },
      ],
    })}
<dl class="small">
<dt>Metadata</dt><dd><code>${baseUrl}/.well-known/oauth-authorization-server</code></dd>
<dt>Token</dt><dd><code>${baseUrl}/api/oauth/token</code></dd>
<dt>Userinfo</dt><dd><code>${baseUrl}/api/oauth/userinfo</code></dd>
<dt>Revoke</dt><dd><code>${baseUrl}/api/oauth/revoke</code></dd>
</dl>`,
  })
}

interface Values {
  baseUrl: string
  clientId: string
  redirectUri: string
}

function curl({ baseUrl, clientId, redirectUri }: Values): string {
  return `curl ${baseUrl}/api/oauth/token \\
  -d grant_type=authorization_code \\
  -d client_id=${clientId} \\
  -d client_secret="$CLIENT_SECRET" \\
  --data-urlencode redirect_uri='${redirectUri}' \\
  -d code="$CODE"

curl ${baseUrl}/api/oauth/userinfo \\
  -H "Authorization: Bearer $ACCESS_TOKEN"`
}

function javascript({ baseUrl, clientId }: Values): string {
  const insecure = baseUrl.startsWith('http:')
  return `import * as oauth from 'openid-client'

// clientSecret comes from your server's settings.
const config = await oauth.discovery(
  new URL('${baseUrl}'),
  '${clientId}',
  clientSecret,
  undefined,
  { algorithm: 'oauth2'${insecure ? ', execute: [oauth.allowInsecureRequests]' : ''} },
)

// In the handler of the redirect URI, with the state you sent:
const tokens = await oauth.authorizationCodeGrant(config, currentUrl, { expectedState })
const answer = await oauth.fetchProtectedResource(
  config,
  tokens.access_token,
  new URL('${baseUrl}/api/oauth/userinfo'),
  'GET',
)
const person = await answer.json()`
}

function python({ baseUrl, clientId, redirectUri }: Values): string {
  return `import os, requests

tokens = requests.post('${baseUrl}/api/oauth/token', data={
    'grant_type': 'authorization_code',
    'client_id': '${clientId}',
    'client_secret': os.environ['CLIENT_SECRET'],
    'redirect_uri': '${redirectUri}',
    'code': code,
}).json()

person = requests.get('${baseUrl}/api/oauth/userinfo', headers={
    'Authorization': 'Bearer ' + tokens['access_token'],
}).json()`
}
