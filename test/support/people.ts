import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { personalTokenScopes } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import { openWorld, type World } from './world.ts'

/** A response whose body has been read completely. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Redirect target, resolved against the requested URL. */
  location: URL | undefined
  url: string
}

/** URLs of the pages of a service, which may run in this process or in another. */
type Places = Pick<World, 'baseUrl' | 'portalUrl'>
/** The page URLs, plus the control surface's URL and key. */
export type ServiceUrls = Places & Pick<World, 'controlUrl' | 'operatorKey'>

/** A browser without scripts. It keeps cookies and fills in forms, and follows redirects only when told to. */
export class Browser {
  readonly #cookies: Map<string, string>
  readonly #headers: Record<string, string>
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>

  /**
   * @param cookies initial cookies, by name.
   * @param headers headers that the browser, or a proxy in front of it, adds to each request.
   * @param answer replaces the network, for an application in this process.
   */
  constructor(
    cookies: Record<string, string> = {},
    headers: Record<string, string> = {},
    answer: (url: string, init: RequestInit) => Promise<Response> = fetch,
  ) {
    this.#cookies = new Map(Object.entries(cookies))
    this.#headers = headers
    this.#fetch = answer
  }

  /** Requests one URL without following redirects. */
  async get(url: string | URL): Promise<Answer> {
    return this.#send(String(url), { method: 'GET' })
  }

  /** Requests a URL and follows its redirects; see {@link onward}. */
  async visit(url: string | URL, world: Places): Promise<Answer> {
    return this.onward(await this.get(url), world)
  }

  /** Submits a form of the page with its hidden fields and the given fields. Does not follow redirects. */
  async submit(page: Answer, fields: Record<string, string>, action?: string): Promise<Answer> {
    const form = formsOf(page.text).find(
      (candidate) =>
        action === undefined || candidate.action.endsWith(action) || candidate.action.includes(`${action}?`),
    )
    assert.ok(form, `the page at ${page.url} has no form${action === undefined ? '' : ` for ${action}`}: ${page.text}`)
    const body = new URLSearchParams({ ...form.hidden, ...fields })
    return this.post(new URL(form.action || page.url, page.url), body)
  }

  /** Opens a page and submits its form for this action, by default for the page's own path. */
  async submitAt(
    url: string | URL,
    fields: Record<string, string> = {},
    action = new URL(url).pathname,
  ): Promise<Answer> {
    return this.submit(await this.get(url), fields, action)
  }

  /** Opens the page’s first link with this text. */
  async openLink(page: Answer, text: string): Promise<Answer> {
    const [, href] = new RegExp(`<a [^>]*href="([^"]*)"[^>]*>\\s*${RegExp.escape(text)}\\s*<`).exec(page.text) ?? []
    assert.ok(href, `the page at ${page.url} has no link “${text}”: ${page.text}`)
    return this.get(new URL(unescapeHtml(href), page.url))
  }

  /** Posts a form. Asserts that the response can't be cached if the form is one of the service's own. */
  async post(url: string | URL, body: URLSearchParams): Promise<Answer> {
    const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
    const answer = await this.#send(String(url), { method: 'POST', body, headers })
    if (body.has('form_token')) assert.equal(answer.headers.get('cache-control'), 'no-store', answer.url)
    return answer
  }

  async postJson(url: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' }
    return this.#send(url, { method: 'POST', body: JSON.stringify(body), headers })
  }

  /** Follows redirects as long as they lead to pages of the service. */
  async onward(answer: Answer, world: Places): Promise<Answer> {
    const own = [new URL(world.baseUrl).origin, new URL(world.portalUrl).origin]
    let at = answer
    for (let hops = 0; at.location !== undefined && own.includes(at.location.origin); hops += 1) {
      assert.ok(hops < 10, `redirected in a circle at ${at.location}`)
      at = await this.get(at.location)
    }
    return at
  }

  async #send(url: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers({ ...this.#headers, ...(init.headers as Record<string, string> | undefined) })
    if (this.#cookies.size > 0) headers.set('cookie', this.cookieHeader())
    const response = await this.#fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      const value = pair.slice(pair.indexOf('=') + 1)
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url),
      url,
    }
  }

  cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Returns the values of all cookies but the IDs of what was opened last. Tests check that none of them is logged. */
  cookieValues(): string[] {
    return [...this.#cookies].filter(([name]) => name !== 'gatehouse-recent').map(([, value]) => value)
  }

  cookies(): Record<string, string> {
    return Object.fromEntries(this.#cookies)
  }
}

function formsOf(text: string): { action: string; hidden: Record<string, string> }[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = '', inside = '']) => ({
    action: unescapeHtml(/action="([^"]*)"/.exec(attributes)?.[1] ?? ''),
    hidden: Object.fromEntries(
      [...inside.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
        unescapeHtml(/name="([^"]*)"/.exec(input)?.[1] ?? ''),
        unescapeHtml(/value="([^"]*)"/.exec(input)?.[1] ?? ''),
      ]),
    ),
  }))
}

export function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** Calls the provisioning API with the operator key. Returns the response and its parsed JSON. */
export async function provision(
  world: Pick<World, 'controlUrl' | 'operatorKey'>,
  method: string,
  path: string,
  body?: object,
) {
  return sendJson(`${world.controlUrl}${path}`, world.operatorKey, method, body)
}

/** Returns the ID of the user with this email address, confirmed or not. */
export async function userIdOf(world: ServiceUrls, email: string): Promise<string> {
  return (await provision(world, 'GET', `/v1/users?email=${encodeURIComponent(email)}`)).json.items[0].id
}

async function sendJson(url: string, key: string, method: string, body: object | undefined): Promise<JsonAnswer> {
  const headers = { authorization: `Bearer ${key}` }
  const json = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return answerOf(await fetch(url, { method, ...(body === undefined ? { headers } : json) }))
}

export const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', password: 'correct horse battery', pin: '4711' }
export const redirectUri = 'https://client.example/callback'

export interface Client {
  clientId: string
  clientSecret: string
  redirectUri: string
}

/** The origin and language that tests pass when they call services directly. */
export const testOrigin = { address: '127.0.0.1', userAgent: 'a test', language: 'en' as const }

export async function adaWithClient(world: ServiceUrls, application: object = {}): Promise<Client> {
  const { id, ...person } = ada
  const user = await provision(world, 'PUT', `/v1/users/${id}`, person)
  assert.ok(user.status === 201 || user.status === 200, JSON.stringify(user.json))
  return aClient(world, 'acme', application)
}

/** Creates an application, by default of Ada. Returns its credentials with its first redirect URI. */
export async function aClient(world: ServiceUrls, id: string, application: object = {}): Promise<Client> {
  const { redirectUris = [redirectUri] } = application as { redirectUris?: readonly string[] }
  const usual = { ownerId: ada.id, name: 'Acme Dashboard', websiteUrl: 'https://client.example' }
  const { status, json } = await provision(world, 'PUT', `/v1/applications/${id}`, {
    ...usual,
    redirectUris,
    ...application,
  })
  assert.equal(status, 201, JSON.stringify(json))
  return { clientId: json.clientId, clientSecret: json.clientSecret, redirectUri: redirectUris[0] ?? '' }
}

export function consentUrl(world: ServiceUrls, client: Client, query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'user.identify offline_access',
    state: 'the-state',
    ...query,
  })
  return `${world.baseUrl}/auth/consent?${parameters}`
}

/** Fills in the sign-in page. */
export async function signIn(
  world: Pick<World, 'baseUrl'>,
  { email, password }: { email: string; password: string },
  browser = new Browser(),
): Promise<Answer> {
  return browser.submitAt(`${world.baseUrl}/sign-in`, { email, password })
}

/** Returns a browser in which Ada, or the given person, is signed in. */
export async function signedIn(
  world: Pick<World, 'baseUrl'>,
  person: { email: string; password: string } = ada,
): Promise<Browser> {
  const browser = new Browser()
  const answer = await signIn(world, person, browser)
  assert.equal(answer.status, 303, answer.text)
  return browser
}

/** Follows an authorization request through all its pages, allows it, and returns the redirect to the application. */
export async function allow(world: ServiceUrls, browser: Browser, url: string): Promise<URL> {
  let page = await browser.visit(url, world)
  if (new URL(page.url).pathname === '/unlock') {
    page = await browser.onward(await browser.submit(page, { pin: ada.pin }, '/unlock'), world)
  }
  if (page.location !== undefined) return page.location
  const answer = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
  assert.equal(answer.status, 303, answer.text)
  return answer.location as URL
}

export async function codeFor(
  world: ServiceUrls,
  browser: Browser,
  client: Client,
  query: Record<string, string> = {},
): Promise<string> {
  const location = await allow(world, browser, consentUrl(world, client, query))
  const code = location.searchParams.get('code')
  assert.ok(code, String(location))
  return code
}

export interface JsonAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests compare complete bodies of any shape
  json: any
}

/** Pushes the authorization request of a consent URL (RFC 9126). */
export async function push(world: Places, { clientSecret }: Client, url: string): Promise<JsonAnswer> {
  const body = new URLSearchParams([...new URL(url).searchParams, ['client_secret', clientSecret]])
  return answerOf(await fetch(`${world.baseUrl}/api/oauth/par`, { method: 'POST', body }))
}

export async function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
  return answerOf(response)
}

/** Reads the whole response. Asserts that one of an OAuth endpoint can't be cached. */
export async function answerOf(response: Response): Promise<JsonAnswer> {
  if (response.url.includes('/api/oauth/')) {
    const cached = ['cache-control', 'pragma'].map((name) => response.headers.get(name))
    assert.deepEqual(cached, ['no-store', 'no-cache'], response.url)
  }
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) }
}

/** Returns the parameters of a token request with a code. */
export function codeGrant({ clientId, clientSecret, redirectUri }: Client, code: string) {
  const credentials = { client_id: clientId, client_secret: clientSecret }
  return { grant_type: 'authorization_code', ...credentials, code, redirect_uri: redirectUri }
}

export function redeem(world: Places, client: Client, code: string, more: Record<string, string> = {}) {
  return postForm(`${world.baseUrl}/api/oauth/token`, { ...codeGrant(client, code), ...more })
}

export function refresh(
  world: Places,
  { clientId, clientSecret }: Omit<Client, 'redirectUri'>,
  refreshToken: string,
  more: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const fields = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken, ...more }
  return postForm(`${world.baseUrl}/api/oauth/token`, { grant_type: 'refresh_token', ...fields }, headers)
}

export function revoke(world: ServiceUrls, fields: Record<string, string>) {
  return postForm(`${world.baseUrl}/api/oauth/revoke`, fields)
}

export async function userinfo(world: ServiceUrls, accessToken: string): Promise<JsonAnswer> {
  return answerOf(
    await fetch(`${world.baseUrl}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } }),
  )
}

/** Introspects a token with the operator key. */
export function introspect(world: ServiceUrls, token: string) {
  return postForm(`${world.baseUrl}/api/oauth/introspect`, { token }, { authorization: `Bearer ${world.operatorKey}` })
}

/** Returns a PKCE pair (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the text that a reader of the page sees, without markup or drawings. */
function wordsIn(markup: string): string {
  return unescapeHtml(markup.replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, '')).trim()
}

export function titleOf(page: Answer): string {
  return wordsIn(/<title>([\s\S]*?)<\/title>/.exec(page.text)?.[1] ?? '')
}

export function fieldErrorOf(page: Answer, field: string): string {
  const [, inside = ''] = new RegExp(`id="${field}-error"[^>]*>([\\s\\S]*?)</div>`).exec(page.text) ?? []
  return wordsIn(inside).replace(/^(?:Error|Fehler): /, '')
}

/** Returns the notice above a form, or an empty string if there is none. */
export function noticeOf(page: Answer): string {
  const [, inside = ''] = /<div class="notice bad" role="alert">([\s\S]*?)<\/div><\/div>/.exec(page.text) ?? []
  return wordsIn(inside)
}

/** Asserts the page’s status, and that its HTML matches the pattern. */
export function assertShows(page: Answer, status: number, pattern: RegExp, message = page.url): void {
  assert.equal(page.status, status, `${message}: ${page.text}`)
  assert.match(page.text, pattern, `${message}: ${page.text}`)
}

export function formTokenOf(page: Answer): string {
  return /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
}

/** Returns the text between the tags, on one line. */
export function textIn(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns all text of the page's main part, on one line. */
export function visibleWordsIn(page: Answer): string {
  const [, main = ''] = /<main\b[^>]*>([\s\S]*)<\/main>/.exec(page.text) ?? []
  // Inserts spaces between adjacent elements, except for inline elements within a sentence.
  const apart = main.replace(/<(?!\/?(?:strong|a|mark|code|span)\b)[^>]+>/g, (tag) => `${tag} `)
  return wordsIn(apart).replace(/\s+/g, ' ')
}

/** Opens a world with Ada and her client. */
export async function openAda(t: TestContext, env: Record<string, string> = {}, application: object = {}) {
  const world = await openWorld(t, env)
  return { world, client: await adaWithClient(world, application) }
}

/** Opens a world with Ada’s client, her signed-in browser, and functions that return fresh codes and tokens. */
export async function openClient(t: TestContext, env?: Record<string, string>, application?: object) {
  const { world, client } = await openAda(t, env, application)
  const browser = await signedIn(world)
  const code = (query?: Record<string, string>) => codeFor(world, browser, client, query)
  /** Returns the body of a token response. */
  const tokens = async (query?: Record<string, string>) => (await redeem(world, client, await code(query))).json
  return { world, client, browser, code, tokens }
}

const people = {
  ada,
  ed: { id: 'ed', name: 'Ed', email: 'ed@example.com', password: 'correct horse battery' },
  vi: { id: 'vi', name: 'Vi', email: 'vi@example.com', password: 'correct horse battery' },
  stan: { id: 'stan', name: 'Stan', email: 'stan@example.com', password: 'correct horse battery' },
}
type Name = keyof typeof people

/** Opens a world with Ada’s bot `bot-1`, and Ada’s browser. Ed is an editor of the bot, Vi a viewer; Stan has no role. */
export async function openBot(t: TestContext, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  for (const { id, name, email, password } of Object.values(people)) {
    await provision(world, 'PUT', `/v1/users/${id}`, { name, email, password })
  }
  const bot = { ownerId: 'ada', name: 'Weather', chatPlatformId: '123456789012345678', hostingEnabled: true }
  /** Creates or replaces the bot. It is as usual except for these members. */
  const putBot = async (change: object = {}) => {
    const { status, json } = await provision(world, 'PUT', '/v1/bots/bot-1', { ...bot, ...change })
    assert.ok(status < 300, JSON.stringify(json))
  }
  /**
   * Creates or replaces an event flow. Unless `webhook` says otherwise, its path is the flow’s ID, and it requires no key.
   * Returns the webhook’s record.
   */
  const putFlow = async (webhook: object = {}, id = 'orders', name = 'Orders') => {
    const body = { kind: 'event', name, webhook: { path: id, requiresKey: false, ...webhook } }
    const { status, json } = await provision(world, 'PUT', `/v1/bots/bot-1/flows/${id}`, body)
    assert.ok(status < 300, JSON.stringify(json))
    return json.webhook
  }
  await putBot()
  await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/ed', { role: 'editor', capabilities: ['poetry'] })
  await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/vi', { role: 'viewer', capabilities: [] })
  const browsers = new Map<Name, Promise<Browser>>()
  const as = (name: Name) => browsers.getOrInsertComputed(name, () => signedIn(world, people[name]))
  /** Creates a personal access token of this user. */
  const tokenOf = async (name: Name) => makeToken(await as(name), world)
  const at = (path: string) => `${world.baseUrl}${path}`
  return { world, ada: await as('ada'), as, tokenOf, at, putBot, putFlow }
}

/** Submits a form to this path with a valid form token, even if no page shows such a form. */
export async function send(browser: Browser, world: World, path: string, fields: Record<string, string | string[]>) {
  const page = await browser.get(`${world.baseUrl}/account/name`)
  const body = new URLSearchParams({ form_token: formTokenOf(page) })
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value)
  return browser.post(`${world.baseUrl}${path}`, body)
}

/** Returns the text of the element with this `data-testid`, or an empty string. */
export function shown(page: Pick<Answer, 'text'>, testId: string): string {
  return unescapeHtml(new RegExp(`data-testid="${testId}">([^<]*)<`).exec(page.text)?.[1] ?? '')
}

/** Creates a personal access token on its page and returns it. */
export async function makeToken(
  browser: Browser,
  world: World,
  more: Partial<{ name: string; scope: readonly string[]; days: string; password: string }> = {},
): Promise<string> {
  const { name = 'script', scope = personalTokenScopes, days = '30', password = 'correct horse battery' } = more
  const answer = await send(browser, world, '/account/tokens', { name, scope: [...scope], days, password })
  const token = shown(answer, 'personal-token')
  assert.ok(token, `${answer.status} ${answer.text}`)
  return token
}

/** Calls the API for owners with a token. */
export async function call(
  world: Pick<World, 'baseUrl'>,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<JsonAnswer> {
  return sendJson(`${world.baseUrl}/api/v1/${path}`, token, method, body)
}

export function assertOAuthError(answer: JsonAnswer, status: number, error: string, description: RegExp) {
  assert.equal(answer.status, status, JSON.stringify(answer.json))
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description'])
  assert.equal(answer.json.error, error)
  assert.match(answer.json.error_description, description)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
}

export function without(url: string, name: string): string {
  const changed = new URL(url)
  changed.searchParams.delete(name)
  return String(changed)
}

export function queryOf(location: URL | undefined): Record<string, string> {
  assert.ok(location, 'there is no redirect')
  return Object.fromEntries(location.searchParams)
}
