import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answer, Browser, postForm } from './people.ts'
import { openWorld, type World } from './world.ts'

export const ada = { name: 'Ada', email: 'ada@example.com', password: 'the engine weaves' }
export const bob = { name: 'Bob', email: 'bob@example.com', password: 'a bridge of stone' }
export const acme = {
  name: 'Acme Dashboard',
  website_url: 'https://acme.example',
  environment: 'production',
  redirect_uris: 'https://acme.example/callback',
}

/** Returns a browser in which this person has signed up and opened the portal. */
export async function atPortal(world: World, person = ada): Promise<Browser> {
  const browser = new Browser()
  const answer = await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), person, '/sign-up')
  assert.equal(answer.status, 303, answer.text)
  const front = await browser.visit(world.portalUrl, world)
  assert.equal(front.status, 200, front.text)
  return browser
}

export async function atPortalAgain(world: World): Promise<Browser> {
  const browser = new Browser()
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
  await browser.visit(world.portalUrl, world)
  return browser
}

export async function register(world: World, browser: Browser, form: Record<string, string> = acme): Promise<Answer> {
  return browser.submit(await browser.get(`${world.portalUrl}/apps/new`), form, '/apps/new')
}

export interface Registered {
  address: string
  clientId: string
  clientSecret: string
}

export async function registered(
  world: World,
  browser: Browser,
  form: Record<string, string> = acme,
): Promise<Registered> {
  const answer = await register(world, browser, form)
  assert.equal(answer.status, 201, answer.text)
  return {
    address: String(answer.location),
    clientId: shown(answer, 'client-id'),
    clientSecret: shown(answer, 'client-secret'),
  }
}

/** Opens a world in which Ada has signed up and opened the portal. */
export async function atNewPortal(t: TestContext) {
  const world = await openWorld(t)
  return { world, browser: await atPortal(world) }
}

/** Opens a world in which Ada has registered an application, with its credentials. */
export async function openPortal(t: TestContext, form: Record<string, string> = acme) {
  const { world, browser } = await atNewPortal(t)
  const app = await registered(world, browser, form)
  return { world, browser, app, ...app }
}

/** Returns the text of the element with this `data-testid`, or an empty string. */
export function shown(page: Answer, testId: string): string {
  const text = new RegExp(`data-testid="${testId}">([^<]*)<`).exec(page.text)?.[1] ?? ''
  return text.replaceAll('&amp;', '&')
}

/**
 * Returns whether the token endpoint accepts these credentials. Sends an unknown code, so valid credentials get
 * `invalid_grant` and invalid ones `invalid_client`.
 */
export async function authenticates(world: World, clientId: string, clientSecret: string): Promise<boolean> {
  const answer = await postForm(`${world.baseUrl}/api/oauth/token`, {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    code: 'svc_ac_none',
    redirect_uri: acme.redirect_uris,
  })
  assert.ok(['invalid_grant', 'invalid_client'].includes(answer.json.error), JSON.stringify(answer.json))
  return answer.json.error === 'invalid_grant'
}

export function hasButton(page: Answer, name: string): boolean {
  return new RegExp(`<button type="submit"[^>]*>${name}</button>`).test(page.text)
}
