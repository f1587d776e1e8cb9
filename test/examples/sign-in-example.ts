import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { exported } from '../support/audit.ts'
import { freePorts } from '../support/free-ports.ts'
import type { RunningProgram } from '../support/gatehouse-process.ts'
import { type Answer, ada, adaWithClient, Browser } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** A running example that signs users in, and the Gatehouse that it uses. */
export type SignInExample = Awaited<ReturnType<typeof openSignInExample>>

/**
 * Opens a Gatehouse with the user Ada and an application, and starts an example with the variables that the demo
 * prints.
 *
 * @param start starts the program with these variables and resolves once it accepts requests.
 */
export async function openSignInExample(
  t: TestContext,
  { host = '127.0.0.1', callbackPath = '/callback' },
  start: (env: Record<string, string>) => Promise<RunningProgram>,
) {
  const world = await openWorld(t)
  const [port] = await freePorts(1)
  const url = `http://${host}:${port}`
  const { clientId, clientSecret } = await adaWithClient(world, {
    environment: 'development',
    redirectUris: [`${url}${callbackPath}`],
  })
  const program = await start({
    GATEHOUSE_ISSUER: world.baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    PORT: String(port),
  })
  const browser = new Browser()
  const submit = async (action: string) => browser.submitAt(url, {}, action)
  return {
    world,
    url,
    callbackUrl: `${url}${callbackPath}`,
    program,
    browser,
    /** Chooses *Sign in* on the home page. Returns the URL of Gatehouse to which the example sends the browser. */
    begin: async (): Promise<URL> => (await submit('/sign-in')).location ?? assert.fail('the form leads nowhere'),
    /** Starts the next sign-in, as the example's script does on a page opened with `error=consent_required`. */
    beginAgain: (): Promise<URL> => assert.fail('without scripts, a redirect has to begin again'),
    /** Chooses *Sign out* on the home page. */
    signOut: (): Promise<unknown> => submit('/sign-out'),
  }
}

/** The origins between which the browser follows redirects. */
function placesOf({ world, url }: SignInExample) {
  return { baseUrl: world.baseUrl, portalUrl: url }
}

function home(example: SignInExample): Promise<Answer> {
  return example.browser.visit(example.url, placesOf(example))
}

/** Starts a sign-in and follows redirects until Gatehouse or the example shows a page. */
async function signIn(example: SignInExample): Promise<Answer> {
  return pageAfter(example, await example.begin())
}

async function pageAfter(example: SignInExample, url: URL): Promise<Answer> {
  const page = await example.browser.visit(url, placesOf(example))
  if (new URL(page.url).searchParams.get('error') !== 'consent_required') return page
  return example.browser.visit(await example.beginAgain(), placesOf(example))
}

async function decide(example: SignInExample, consent: Answer, decision: 'allow' | 'deny'): Promise<Answer> {
  const answer = await example.browser.submit(consent, { decision }, '/auth/consent')
  return example.browser.onward(answer, placesOf(example))
}

async function kindsOf(example: SignInExample, kind: string): Promise<number> {
  return (await exported(example.world)).filter((line) => line.kind === kind).length
}

/** Tests a denial, a first and a returning sign-in, an error, and sign-out, all through the real pages. */
export async function assertSignsIn(t: TestContext, example: SignInExample): Promise<void> {
  const { browser, url, world } = example

  await t.test('a denial shows that nobody was signed in', async () => {
    const page = await signIn(example)
    const signedIn = await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
    const consent = await pageAfter(example, signedIn.location ?? assert.fail(signedIn.text))
    assert.ok(consent.url.startsWith(`${world.baseUrl}/auth/consent`), consent.url)
    const denied = await decide(example, consent, 'deny')
    assert.match(denied.text, /You chose Deny, so nobody was signed in\./)
    assert.match((await home(example)).text, /Sign in with Gatehouse/)
  })

  await t.test(
    'a user who has not granted the scopes gets the consent page, although consent=skip is sent first',
    async () => {
      const first = await example.begin()
      assert.equal(first.searchParams.get('consent'), 'skip')
      const consent = await pageAfter(example, first)
      assert.ok(consent.url.startsWith(`${world.baseUrl}/auth/consent`), consent.url)
      const signedIn = await decide(example, consent, 'allow')
      assert.equal(new URL(signedIn.url).origin, url)
      assert.match(signedIn.text, /Signed in as Ada/)
    },
  )

  await t.test('signing out revokes the authorization', async () => {
    await example.signOut()
    assert.match((await home(example)).text, /Sign in with Gatehouse/)
    assert.equal(await kindsOf(example, 'revoke'), 1)
  })

  await t.test('a returning user is signed in without any page', async () => {
    const page = await signIn(example)
    assert.equal(new URL(page.url).origin, url)
    assert.match(page.text, /Signed in as Ada/)
    await example.signOut()
  })

  await t.test('a failed code exchange is shown as an error, and logged with its cause', async () => {
    const state = (await example.begin()).searchParams.get('state') ?? ''
    const callback = `${example.callbackUrl}?code=svc_ac_unknown&state=${encodeURIComponent(state)}`
    const page = await browser.visit(callback, placesOf(example))
    assert.match(page.text, /The sign-in failed\. Please try again\./)
    assert.match(page.text, /Sign in with Gatehouse/)
    await example.program.waitForOutput('The authorization code is not known')
  })
}

/** Tests expiry and withdrawal of access, for an example that reads userinfo on each page. */
export async function assertKeepsSignedIn(t: TestContext, example: SignInExample): Promise<void> {
  const { browser, world } = example
  assert.match((await signIn(example)).text, /Signed in as Ada/)

  await t.test('after the access token expires, two tabs at once refresh it only once', async () => {
    await world.clock.advance(900_000)
    const tabs = await Promise.all([home(example), home(example)])
    for (const { text } of tabs) assert.match(text, /Signed in as Ada/)
    assert.equal(await kindsOf(example, 'refresh-reuse'), 0)
  })

  await t.test('after the user withdraws access, the example shows nobody signed in', async () => {
    const account = await browser.visit(`${world.baseUrl}/account/applications`, world)
    await browser.submit(account, { application: 'acme' }, '/account/applications/withdrawal')
    assert.match((await home(example)).text, /Sign in with Gatehouse/)
  })
}
