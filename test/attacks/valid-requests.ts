import assert from 'node:assert/strict'
import fc from 'fast-check'
import { documentAt, operationsOf } from '../support/openapi.ts'
import {
  type Answer,
  aClient,
  ada,
  type Browser,
  type Client,
  codeFor,
  consentUrl,
  makeToken,
  pkce,
  provision,
  redeem,
  signedIn,
  unescapeHtml,
} from '../support/people.ts'
import type { World } from '../support/world.ts'
import { valuesOf } from './from-schema.ts'
import type { PlainRequest } from './odd-requests.ts'
import { fillIn, routesOf } from './route-addresses.ts'

const botRef = '215215215215215215'

/**
 * Restores what an attack may have changed, signs Ada in, and returns valid requests to a listener. They come from Ada,
 * her application, a webhook sender, a runtime or the operator. Attacks then mutate these requests.
 */
export async function validRequests(
  world: World,
  listener: 'base' | 'api' | 'portal' | 'control',
): Promise<PlainRequest[]> {
  // Advances the clock far enough that earlier attempts no longer delay sign-ins.
  await world.clock.advance(16 * 60_000)
  const scene = await provisionScene(world)
  if (listener === 'portal') return pagesOf(scene, 'portal')
  return { base: baseRequests, api: apiRequests, control: controlRequests }[listener](scene)
}

export interface Scene {
  world: World
  client: Client
  browser: Browser
  runtimeKey: string
  /** Ada’s personal access token, with every scope. */
  personalToken: string
  /** Values for path parameters. */
  names: Readonly<Record<string, string>>
}

export async function provisionScene(world: World): Promise<Scene> {
  const applicationId = `acme-${world.clock.nowMs()}`
  const { name, email, password, pin } = ada
  const put = async (path: string, body: object, method = 'PUT') => {
    const { status, json } = await provision(world, method, path, body)
    assert.ok(status === 201 || status === 200, `${path}: ${JSON.stringify(json)}`)
    return json
  }
  await put('/v1/users/ada', { name, email, password, pin })
  await put('/v1/users/ed', { name: 'Ed' })
  const client = await aClient(world, applicationId)
  const bot = { chatPlatformId: botRef, hostingEnabled: true, publicStatus: true }
  await put('/v1/bots/lantern', { ownerId: ada.id, name: 'Lantern', ...bot })
  await put('/v1/bots/lantern/coworkers/ed', { role: 'viewer', capabilities: [] })
  await put('/v1/bots/lantern/logs', { entries: [{ level: 'info', message: 'lit' }] }, 'POST')
  for (const [flowId, requiresKey] of [
    ['alerts', false],
    ['orders', true],
  ] as const) {
    // Setting `key` also removes any key that a mutated request has created in the meantime.
    const webhook = { path: `hooks/${flowId}`, requiresKey, key: requiresKey ? 'a-key-of-orders' : null }
    await put(`/v1/bots/lantern/flows/${flowId}`, { kind: 'event', name: flowId, webhook })
  }
  const runtime = await put('/v1/runtimes', { name: 'one', botIds: ['lantern'] }, 'POST')
  const accepted = await fetch(`${world.apiUrl}/lantern/hooks/alerts`, { method: 'POST', body: '{"an":"event"}' })
  assert.equal(accepted.status, 202)
  const browser = await signedIn(world)
  await browser.submitAt(`${world.baseUrl}/unlock?return_to=/account/tokens`, { pin }, '/unlock')
  const personalToken = await makeToken(browser, world)
  const tokens = await browser.get(`${world.baseUrl}/account/tokens`)
  const tokenId = /\/account\/tokens\/([^"/]+)\/revocation/.exec(tokens.text)?.[1] ?? 'none'
  const list = await browser.get(`${world.baseUrl}/bots/lantern/deliveries`)
  const eventId = /\/bots\/lantern\/deliveries\/(ev[^"?/]+)/.exec(list.text)?.[1] ?? 'none'
  const names = {
    ...{ applicationId, eventId, botRef, tokenId, runtimeId: runtime.id },
    ...{ botId: 'lantern', flowId: 'alerts', userId: 'ed' },
    ...{ number: '1', keyNumber: '1', provider: 'upstream', file: 'mark.svg', scope: 'lamps.manage', language: 'en' },
  }
  return { world, client, browser, runtimeKey: runtime.key, personalToken, names }
}

async function baseRequests(scene: Scene): Promise<PlainRequest[]> {
  const { world, client, browser } = scene
  const { verifier, challenge } = pkce()
  const code = () => codeFor(world, browser, client)
  const { json: tokens } = await redeem(world, client, await code())
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
  const request = { redirect_uri: client.redirectUri, response_type: 'code', scope: 'user.identify', state: 'a state' }
  const endpoint = (path: string, fields: Record<string, string>): PlainRequest[] => [
    { method: 'POST', target: `/api/oauth/${path}`, headers: [], fields: { ...credentials, ...fields } },
  ]
  const exchange = { grant_type: 'authorization_code', redirect_uri: client.redirectUri, code: await code() }
  const oauth = [
    ...endpoint('token', exchange),
    ...endpoint('token', { ...exchange, code: await code(), code_verifier: verifier }),
    ...endpoint('token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, scope: 'user.identify' }),
    ...endpoint('revoke', { token: 'svc_at_none', token_type_hint: 'access_token' }),
    ...endpoint('introspect', { token: tokens.access_token }),
    ...endpoint('par', { ...request, code_challenge: challenge, code_challenge_method: 'S256' }),
    { method: 'GET', target: '/api/oauth/userinfo', headers: [['Authorization', `Bearer ${tokens.access_token}`]] },
  ] satisfies PlainRequest[]
  const pages = await pagesOf(scene, 'base')
  const consent = await asBrowser(scene, consentUrl(world, client, { scope: 'user.identify bots.read' }))
  // Repeats the OAuth requests, so that there are about half as many of them as page requests.
  const weighed = Array.from({ length: Math.ceil(pages.length / oauth.length / 2) }, () => oauth).flat()
  return [...pages, ...consent, ...consent, ...weighed]
}

/**
 * Returns the requests that Ada's browser would send for all pages, and for all forms on them. Path parameters are
 * filled in.
 */
export async function pagesOf(scene: Scene, place: 'base' | 'portal'): Promise<PlainRequest[]> {
  const url = place === 'base' ? scene.world.baseUrl : scene.world.portalUrl
  const addresses = [
    ...routesOf(url, 'GET').filter((path) => !path.startsWith('/api/')),
    '/assets/gatehouse.css',
    '/nowhere',
  ]
  if (place === 'portal') await scene.browser.visit(url, scene.world)
  const found: PlainRequest[] = []
  for (const address of addresses) found.push(...(await asBrowser(scene, url + fillIn(address, scene.names))))
  assert.ok(found.filter(({ fields }) => fields !== undefined).length > 10, 'hardly a form was found')
  return found
}

/** Returns whether a GET request for the path is answered with server-sent events, which don't end. */
export function isStream(path: string): boolean {
  return /\/(events|live)(\?|$)/.test(path)
}

/** Returns the requests that Ada's browser would send for the page and for the forms on it. */
async function asBrowser({ world, browser }: Scene, url: string): Promise<PlainRequest[]> {
  const asked = new URL(url)
  const headers = [
    ['Cookie', browser.cookieHeader()],
    ['Origin', asked.origin],
    ['Accept', 'text/html'],
  ] as const
  if (isStream(asked.pathname) || asked.pathname.endsWith('/sign-out'))
    return [{ method: 'GET', target: asked.pathname, headers }]
  const page = await browser.visit(url, world)
  const target = (of: URL) => of.pathname + of.search
  return [
    { method: 'GET', target: target(asked), headers },
    { method: 'POST', target: target(asked), headers, fields: {}, as: 'form' },
    ...postFormsOn(page).map(({ action, fields }): PlainRequest => {
      // Requests that would sign Ada out omit the form token, so that they are rejected.
      if (/sign-out|sessions/.test(action.pathname)) delete fields.form_token
      return { method: 'POST', target: target(action), headers, fields, as: 'form' }
    }),
  ]
}

const typed: Readonly<Record<string, string>> = {
  name: 'A name',
  email: ada.email,
  password: ada.password,
  pin: ada.pin,
  pin_again: ada.pin,
  website_url: 'https://client.example',
  redirect_uris: 'https://client.example/callback',
}

/** Returns the forms of the page that are posted to its own listener. */
function postFormsOn(page: Answer) {
  const all = page.text.matchAll(/<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/gi)
  const forms = [...all].map(([, attributes = '', inside = '']) => {
    const named = [...inside.matchAll(/<(?:input|textarea|select|button)\b[^>]*\bname="([^"]+)"[^>]*>/g)]
    const fields = named.map(([tag, name = '']) => [name, /\bvalue="([^"]*)"/.exec(tag)?.[1] || (typed[name] ?? '1')])
    const action = unescapeHtml(/action="([^"]*)"/.exec(attributes)?.[1] ?? '')
    return { action: new URL(action || page.url, page.url), fields: Object.fromEntries(fields) }
  })
  return forms.filter(({ action }) => action.origin === new URL(page.url).origin)
}

async function apiRequests({ runtimeKey }: Scene): Promise<PlainRequest[]> {
  const upgrade = [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Protocol', 'gatehouse.runtime.v1'],
    ['Authorization', `Bearer ${runtimeKey}`],
  ] as const
  const webhook = { method: 'POST', fields: { an: 'event' } }
  const key = ['svc-key', 'a-key-of-orders'] as const
  const requests: PlainRequest[] = [
    { ...webhook, target: '/lantern/hooks/alerts', headers: [] },
    { ...webhook, target: '/lantern/hooks/orders', headers: [key] },
    { ...webhook, target: '/lantern/hooks/orders', headers: [] },
    { ...webhook, target: '/lantern/hooks/nothing', headers: [] },
    { ...webhook, target: '/nobody/hooks/alerts', headers: [] },
  ]
  const get = (target: string): PlainRequest => ({ method: 'GET', target, headers: [] })
  const rare = ['/health', '/openapi.json', '/', '/runtime', '/lantern'].map(get)
  return [...requests, ...requests, ...requests, ...rare, { ...get('/runtime'), headers: upgrade }]
}

async function controlRequests({ world, names }: Scene): Promise<PlainRequest[]> {
  const document = await documentAt(world.controlUrl)
  const headers = [['Authorization', `Bearer ${world.operatorKey}`]] as const
  const calls = operationsOf(document).flatMap(({ method, path, json }): PlainRequest[] => {
    const request = { method, target: fillIn(path, names), headers }
    if (json === undefined) return [request]
    return fc
      .sample(valuesOf(json, document), { numRuns: 4, seed: 1 })
      .map((body) => ({ ...request, fields: body as Record<string, unknown>, as: 'json' as const }))
  })
  const telemetry = ['/livez', '/readyz', '/metrics', '/openapi.json', '/v1', '/v1/nothing']
  return [...calls, ...telemetry.map((target) => ({ method: 'GET', target, headers }))]
}
