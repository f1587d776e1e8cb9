/**
 * Pages of the demo's client application. The application represents a third-party program, so it shares no code with
 * the service.
 */

export function signedOutPage(scopes: readonly string[]): string {
  return frame(`
    <p>This is a third-party application. It uses Gatehouse to find out who you are.</p>
    <form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>
    <p class="soft">It requests: ${scopes.map(escaped).join(', ')}.</p>`)
}

export function signedInPage(userinfo: object): string {
  return frame(`
    <p>You are signed in. Refreshing rotates the refresh token. Revoking ends the whole token family.</p>
    <form method="post"><button formaction="/refresh">Refresh the tokens</button>
    <button class="quiet" formaction="/revoke">Revoke and sign out</button></form>
    <p>Userinfo for the scopes that you allowed:</p>
    <pre data-testid="userinfo">${escaped(JSON.stringify(userinfo, null, 2))}</pre>`)
}

/** Shows a received code, and the curl command that redeems it within five minutes. */
export function codePage(
  query: URLSearchParams,
  client: { baseUrl: string; redirectUri: string; clientId: string; clientSecret: string },
): string {
  const code = query.get('code')
  if (code === null) return refusedPage(query.get('error') ?? 'nothing')
  const lines = [
    `curl ${client.baseUrl}/api/oauth/token -d grant_type=authorization_code`,
    `-d client_id=${client.clientId} -d client_secret=${client.clientSecret}`,
    `-d code=${code} -d redirect_uri=${client.redirectUri}`,
  ]
  return frame(`
    <p>Code received. It is valid once, for five minutes:</p>
    <pre>${escaped(lines.join(' \\\n  '))}</pre>
    <p>With the access token from the response:</p>
    <pre>${escaped(`curl ${client.baseUrl}/api/oauth/userinfo -H "Authorization: Bearer ACCESS_TOKEN"`)}</pre>`)
}

/** Page shown when the user or the service has denied the authorization. */
export function refusedPage(error: string): string {
  return frame(`
    <p>Nothing was shared. Gatehouse returned <code>${escaped(error)}</code>.</p>
    <form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>`)
}

export function failurePage(error: unknown): string {
  const { message, error: code } = error as Error & { error?: string }
  return frame(`
    <p>Request failed: ${escaped(code === undefined ? message : `${message} (${code})`)}.</p>
    <form method="post" action="/sign-in"><button>Sign in again</button></form>`)
}

function frame(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Acme Dashboards</title>
<link rel="icon" href="data:,">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 24px }
h1 { font-size: 1.25rem } .soft { opacity: .7 } form { margin: 16px 0 }
pre { overflow-x: auto; padding: 16px; border: 1px solid #8886; border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; padding: 8px 16px; border: 1px solid #2563eb; border-radius: 8px; background: #2563eb; color: #fff }
button.quiet { background: transparent; color: inherit; border-color: #8886 }
</style>
</head>
<body><h1>Acme Dashboards</h1>${body}</body>
</html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
