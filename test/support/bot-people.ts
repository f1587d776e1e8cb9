import type { TestContext } from 'node:test'
import { ada, type Browser, provision, signedIn } from './people.ts'
import { openWorld, type World } from './world.ts'

const people = {
  ada,
  ed: { id: 'ed', name: 'Ed', email: 'ed@example.com', password: 'correct horse battery' },
  vi: { id: 'vi', name: 'Vi', email: 'vi@example.com', password: 'correct horse battery' },
  stan: { id: 'stan', name: 'Stan', email: 'stan@example.com', password: 'correct horse battery' },
}
type Name = keyof typeof people

/** Opens a world with Ada’s bot `bot-1`. Ed is an editor of the bot, Vi is a viewer, and Stan has no role. */
export async function openScene(t: TestContext, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  for (const { id, ...user } of Object.values(people)) {
    const { name, email, password } = user
    await provision(world, 'PUT', `/v1/users/${id}`, { name, email, password })
  }
  const bot = { ownerId: 'ada', name: 'Weather', chatPlatformId: '123456789012345678', hostingEnabled: true }
  await provision(world, 'PUT', '/v1/bots/bot-1', bot)
  await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/ed', { role: 'editor', capabilities: ['poetry'] })
  await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/vi', { role: 'viewer', capabilities: [] })
  const browsers = new Map<Name, Browser>()
  const as = async (name: Name): Promise<Browser> => {
    const known = browsers.get(name)
    if (known !== undefined) return known
    const browser = await signedIn(world, people[name])
    browsers.set(name, browser)
    return browser
  }
  const at = (path: string) => `${world.baseUrl}${path}`
  return { world, as, at }
}

/** Submits a form to this path with a valid form token, even if no page shows such a form. */
export async function send(browser: Browser, world: World, path: string, fields: Record<string, string | string[]>) {
  const page = await browser.get(`${world.baseUrl}/account/name`)
  const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ form_token: token })
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value)
  return browser.post(`${world.baseUrl}${path}`, body)
}

/** Returns the text of the element with this `data-testid`, or an empty string. */
export const secretIn = (text: string, testId: string) =>
  new RegExp(`data-testid="${testId}">([^<]*)<`).exec(text)?.[1] ?? ''
