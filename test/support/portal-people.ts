import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answer, type Browser, type Client, redeem, shown, signedIn } from './people.ts'
import { ada, signedUp } from './sign-in-forms.ts'
import { openWorld, type World } from './world.ts'

export const acme = {
  name: 'Acme Dashboard',
  website_url: 'https://acme.example',
  environment: 'production',
  redirect_uris: 'https://acme.example/callback',
}

/** Returns a browser in which this person has signed up and opened the portal. */
export async function atPortal(world: World, person = ada): Promise<Browser> {
  const browser = await signedUp(world, person)
  const front = await browser.visit(world.portalUrl, world)
  assert.equal(front.status, 200, front.text)
  return browser
}

export async function atPortalAgain(world: World): Promise<Browser> {
  const browser = await signedIn(world, ada)
  await browser.visit(world.portalUrl, world)
  return browser
}

export async function register(world: World, browser: Browser, form: Record<string, string> = acme): Promise<Answer> {
  return browser.submitAt(`${world.portalUrl}/apps/new`, form)
}

export interface Registered extends Client {
  address: string
}

export async function registered(
  world: World,
  browser: Browser,
  form: typeof acme & { require_pkce?: string } = acme,
): Promise<Registered> {
  const answer = await register(world, browser, form)
  assert.equal(answer.status, 201, answer.text)
  return {
    address: String(answer.location),
    clientId: shown(answer, 'client-id'),
    clientSecret: shown(answer, 'client-secret'),
    redirectUri: form.redirect_uris.split('\n')[0] ?? '',
  }
}

/** Opens a world in which Ada has signed up and opened the portal. */
export async function atNewPortal(t: TestContext) {
  const world = await openWorld(t)
  return { world, browser: await atPortal(world) }
}

/** Opens a world in which Ada has registered an application, with its credentials. */
export async function openPortal(t: TestContext) {
  const { world, browser } = await atNewPortal(t)
  const app = await registered(world, browser)
  return { world, browser, app, ...app }
}

/**
 * Returns whether the token endpoint accepts the client's credentials. Sends an unknown code, so valid credentials get
 * `invalid_grant` and invalid ones `invalid_client`.
 */
export async function authenticates(world: World, client: Omit<Client, 'redirectUri'>): Promise<boolean> {
  const { error } = (await redeem(world, { ...client, redirectUri: acme.redirect_uris }, 'svc_ac_none')).json
  assert.ok(['invalid_grant', 'invalid_client'].includes(error), error)
  return error === 'invalid_grant'
}

export function hasButton(page: Answer, name: string): boolean {
  return new RegExp(`<button type="submit"[^>]*>${name}</button>`).test(page.text)
}
