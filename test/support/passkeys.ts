import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answer, adaWithClient, Browser, formTokenOf, signedIn } from './people.ts'
import { type Deviations, SoftwareAuthenticator } from './software-authenticator.ts'
import { openWorld, type World } from './world.ts'

export interface Visitor {
  browser: Browser
  formToken: string
}

export async function openScene(t: TestContext): Promise<World> {
  const world = await openWorld(t)
  await adaWithClient(world)
  return world
}

export async function visitor(world: World, browser = new Browser(), path = '/sign-in'): Promise<Visitor> {
  return { browser, formToken: formTokenOf(await browser.get(world.baseUrl + path)) }
}

export async function adaOnPasskeysPage(world: World): Promise<Visitor> {
  return visitor(world, await signedIn(world), '/account/passkeys')
}

export function post(world: World, { browser, formToken }: Visitor, path: string, fields: Record<string, string> = {}) {
  return browser.post(world.baseUrl + path, new URLSearchParams({ form_token: formToken, ...fields }))
}

/** Asserts that the response is uncached JSON for a script. Returns its status and body. */
export function statusAndJson(answer: Answer): [number, unknown] {
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  return [answer.status, JSON.parse(answer.text)]
}

export async function optionsFor(world: World, who: Visitor, path: string) {
  const answer = await post(world, who, path)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text)
}

export async function register(
  world: World,
  who: Visitor,
  device = new SoftwareAuthenticator({ origin: world.baseUrl }),
  { lies = {}, name = '' }: { lies?: Deviations; name?: string } = {},
) {
  const options = await optionsFor(world, who, '/account/passkeys/challenge')
  const answer = await post(world, who, '/account/passkeys', { name, response: device.create(options, lies) })
  return { device, answer }
}

export async function signIn(
  world: World,
  who: Visitor,
  device: SoftwareAuthenticator,
  lies: Deviations = {},
): Promise<Answer> {
  const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
  return post(world, who, '/sign-in/passkey', { response: device.get(options, lies) })
}

export const notVerified = [
  422,
  {
    error: 'verification-failed',
    message: 'This passkey couldn’t be verified. Open this page at its usual URL and try again.',
  },
]
export const notKnown = [
  422,
  {
    error: 'passkey-unknown',
    message: 'Unknown passkey. It may have been removed or belong to another account. Use another one.',
  },
]
export const usedUp = [
  422,
  { error: 'challenge-unknown', message: 'This took longer than 5 minutes, or was already submitted. Try again.' },
]
