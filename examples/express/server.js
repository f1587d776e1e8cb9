import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import * as oauth from 'openid-client'

const { GATEHOUSE_ISSUER, CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env
if (!GATEHOUSE_ISSUER || !CLIENT_ID || !CLIENT_SECRET) {
  console.error('Set GATEHOUSE_ISSUER (the URL of Gatehouse), CLIENT_ID and CLIENT_SECRET.')
  process.exit(1)
}

const url = `http://127.0.0.1:${PORT}`
const redirectUri = `${url}/callback`
const gatehouse = await oauth.discovery(new URL(GATEHOUSE_ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  algorithm: 'oauth2',
  // Plain http is for development only.
  execute: GATEHOUSE_ISSUER.startsWith('http:') ? [oauth.allowInsecureRequests] : [],
})

const app = express()
// In production, use a session store instead of memory, a fixed secret, and `cookie: { secure: true }`.
const secret = randomBytes(32).toString('hex')
app.use(
  session({ name: 'express-example', secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
)

app.get('/', async (request, response) => {
  const person = await readPerson(request)
  response.send(person === undefined ? signedOutPage() : signedInPage(person))
})

// First tries without the consent page: most users have already consented.
app.post('/sign-in', (request, response) => begin(request, response, { consent: 'skip' }))

app.get('/callback', async (request, response) => {
  const { begun } = request.session
  delete request.session.begun
  // Either this browser has not started a sign-in, or the callback was opened a second time.
  if (begun === undefined) return response.redirect('/')
  try {
    const tokens = await oauth.authorizationCodeGrant(gatehouse, new URL(request.originalUrl, url), {
      expectedState: begun.state,
      pkceCodeVerifier: begun.verifier,
    })
    // A new session ID prevents session fixation: an ID from before the sign-in becomes invalid.
    await new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())))
    keep(request, tokens)
    response.redirect('/')
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error
    // A scope is not granted yet, so the consent page is needed.
    if (error.error === 'consent_required') return begin(request, response)
    if (error.error === 'access_denied') return response.send(signedOutPage('You chose Deny, so nobody was signed in.'))
    throw error
  }
})

app.post('/sign-out', async (request, response) => {
  const { tokens } = request.session
  await new Promise((resolve) => request.session.destroy(resolve))
  if (tokens !== undefined) await oauth.tokenRevocation(gatehouse, tokens.refreshToken)
  response.redirect('/')
})

// Handles the errors of all routes. The user is asked to try again. The cause is for the developer, so it goes to the
// log.
app.use((error, _request, response, _next) => {
  console.error(`sign-in failed: ${error.error ?? error.message}: ${error.error_description ?? error.cause ?? ''}`)
  response.status(502).send(signedOutPage('The sign-in failed. Please try again.'))
})

/** Redirects the browser to Gatehouse for sign-in. */
async function begin(request, response, parameters = {}) {
  const state = oauth.randomState()
  const verifier = oauth.randomPKCECodeVerifier()
  request.session.begun = { state, verifier }
  const authorization = oauth.buildAuthorizationUrl(gatehouse, {
    redirect_uri: redirectUri,
    scope: 'user.identify offline_access',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  response.redirect(authorization.href)
}

function keep(request, { access_token: accessToken, refresh_token: refreshToken }) {
  request.session.tokens = { accessToken, refreshToken }
}

/** Returns the signed-in user, or `undefined`. Refreshes the tokens if the access token is rejected. */
async function readPerson(request) {
  const { tokens } = request.session
  if (tokens === undefined) return undefined
  const read = (accessToken) => oauth.fetchUserInfo(gatehouse, accessToken, oauth.skipSubjectCheck)
  try {
    return await read(tokens.accessToken)
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error
  }
  try {
    const renewed = await oncePerToken(tokens.refreshToken)
    keep(request, renewed)
    return await read(renewed.access_token)
  } catch (error) {
    if (error.error !== 'invalid_grant') throw error
    // The user revoked the access, or the authorization has ended.
    delete request.session.tokens
    return undefined
  }
}

const refreshes = new Map()

/**
 * Refreshes once, even if two tabs use the same refresh token at the same time: presenting it twice revokes all tokens.
 */
function oncePerToken(refreshToken) {
  const begun = refreshes.get(refreshToken)
  if (begun !== undefined) return begun
  const refresh = oauth.refreshTokenGrant(gatehouse, refreshToken)
  refreshes.set(refreshToken, refresh)
  const forget = () => refreshes.delete(refreshToken)
  refresh.then(() => setTimeout(forget, 60_000).unref(), forget)
  return refresh
}

function signedOutPage(message = '') {
  return page(`<p>${escaped(message)}</p>
    <form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>`)
}

function signedInPage(person) {
  return page(`<p>Signed in as ${escaped(person.name)} (${escaped(person.sub)}).</p>
    <form method="post" action="/sign-out"><button>Sign out</button></form>`)
}

function page(body) {
  return `<!doctype html><html lang="en"><title>Express example</title><h1>Express example</h1>${body}</html>`
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${url}`))
