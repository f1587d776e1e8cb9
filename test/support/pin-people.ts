import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { parseApplicationId, parseUserId } from '../../src/domain/ids.ts'
import { type Answer, Browser } from './people.ts'
import { openWorld, type World } from './world.ts'

export const ada = { email: 'ada@example.com', password: 'the engine weaves', pin: '271828' }
export const callback = 'https://client.example/callback'

/** A world with Ada and an application. `ask` returns the URL of an authorization request. */
interface Scene {
  world: World
  ask(scope: string): string
}

export async function openScene(t: TestContext, pin: string | null = ada.pin): Promise<Scene> {
  const world = await openWorld(t)
  await world.service.accounts.users.put(parseUserId('ada')!, {
    name: 'Ada',
    email: ada.email,
    clearTextPassword: ada.password,
    clearTextPin: pin,
  })
  const made = await world.service.applications.provisioned.put(parseApplicationId('acme')!, {
    ownerId: null,
    name: 'Acme',
    websiteUrl: 'https://client.example',
    redirectUris: [callback],
  })
  assert.equal(made.outcome, 'created')
  const { clientId } = made
  const ask = (scope: string) => {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: callback, response_type: 'code', scope })
    return `${world.baseUrl}/auth/consent?${query}`
  }
  return { world, ask }
}

export async function signedIn(world: World, browser = new Browser()): Promise<Browser> {
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  const answer = await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
  assert.equal(answer.status, 303, answer.text)
  return browser
}

export async function unlock(world: World, browser: Browser, pin: string): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/unlock`), { pin }, '/unlock')
}

export async function isUnlocked(world: World, browser: Browser): Promise<boolean> {
  const answer = await browser.get(`${world.baseUrl}/unlock`)
  if (answer.status === 200) return false
  assert.deepEqual([answer.status, answer.location?.pathname], [302, '/account'])
  return true
}

export async function setPin(world: World, browser: Browser, form: Record<string, string>): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/account/pin`), form, '/account/pin')
}
