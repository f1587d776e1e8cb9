import assert from 'node:assert/strict'
import { type Answer, Browser } from './people.ts'
import type { World } from './world.ts'

export const ada = { name: 'Ada', email: 'ada@example.com', password: 'the engine weaves' }
export const bob = { name: 'Bob', email: 'bob@example.com', password: 'a bridge of stone' }

export async function signedUp(world: World, { name, email, password } = ada): Promise<Browser> {
  const browser = new Browser()
  const answer = await signUp(world, browser, { name, email, password })
  assert.equal(answer.status, 303, answer.text)
  return browser
}

export async function signUp(world: World, browser: Browser, form: Record<string, string>): Promise<Answer> {
  return browser.submitAt(`${world.baseUrl}/sign-up`, form)
}

export async function isSignedIn(world: World, browser: Browser): Promise<boolean> {
  const page = await browser.get(`${world.baseUrl}/account`)
  if (page.status === 200) return true
  assert.deepEqual([page.status, page.location?.pathname], [302, '/sign-in'])
  return false
}

export function sessionCookie(browser: Browser): string {
  return browser.cookieValues().find((value) => value.startsWith('svc_se_')) ?? ''
}

export function withCookie(world: World, session: string): Promise<Response> {
  assert.match(session, /^svc_se_/)
  return fetch(`${world.baseUrl}/account`, { headers: { cookie: `gatehouse-session=${session}` }, redirect: 'manual' })
}
