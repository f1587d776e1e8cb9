import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { hidden } from '../../src/commands/log.ts'
import { type Answer, ada, type Browser, type Client, provision, redirectUri, signedIn } from './people.ts'
import { openWorld, type World } from './world.ts'

/** Each value is long enough not to appear in a log by chance, for example in a time or a port. */
export const person = { email: ada.email, password: 'a password of Ada, in the clear', pin: '730918264553' }
export const wrong = { password: 'a mistyped password of Ada', pin: '730918264554', state: 'a state, in the clear' }

export interface Scene {
  world: World
  /** Everything that must not be logged, keyed by description. */
  secrets: Map<string, string>
  secret(name: string, clearText: string): string
  tokens(answer: { json: { access_token: string; refresh_token: string } }): { access: string; refresh: string }
  page(answer: Answer): Answer
  client: Client
  browser: Browser
}

/** Opens a world with Ada, her application and her signed-in browser. Records the secrets used in the world. */
export async function openScene(t: TestContext): Promise<Scene> {
  const world = await openWorld(t)
  const secrets = new Map([
    ['operator key', world.operatorKey],
    ['password', person.password],
    ['PIN', person.pin],
  ])
  const secret = (name: string, clearText: string) => {
    assert.ok(clearText.length >= 12, `${name} would be found by chance: ${clearText}`)
    secrets.set(`${name} ${secrets.size}`, clearText)
    return clearText
  }
  await provision(world, 'PUT', `/v1/users/${ada.id}`, { name: ada.name, ...person })
  const made = await provision(world, 'PUT', '/v1/applications/acme', {
    ownerId: ada.id,
    name: 'Acme',
    websiteUrl: 'https://client.example',
    redirectUris: [redirectUri],
  })
  const clientSecret = secret('client secret', made.json.clientSecret)
  const browser = await signedIn(world, person)
  return {
    world,
    secrets,
    secret,
    client: { clientId: made.json.clientId, clientSecret, redirectUri },
    browser,
    tokens({ json }) {
      return { access: secret('access token', json.access_token), refresh: secret('refresh token', json.refresh_token) }
    },
    page(answer) {
      for (const [, formToken] of answer.text.matchAll(/name="form_token" value="([^"]+)"/g)) {
        secret('form token', formToken as string)
      }
      return answer
    },
  }
}

export function noteCookies({ secret }: Scene, browser: Browser): void {
  const values = browser.cookieValues().filter((value) => value.length >= 12)
  assert.ok(values.length > 0)
  for (const value of values) secret('cookie', value)
}

/** Asserts that no line logged so far contains a secret, either plain or encoded as in a URL, JSON or a header. */
export async function assertNothingLogged(scene: Scene): Promise<void> {
  noteCookies(scene, scene.browser)
  const lines = scene.world.logs().trimEnd().split('\n')
  assert.ok(
    lines.some((line) => line.includes('"route"')),
    'the log was open at its lowest level',
  )
  for (const [name, clearText] of scene.secrets) {
    const spellings = [clearText, encodeURIComponent(clearText), JSON.stringify(clearText).slice(1, -1)]
    spellings.push(Buffer.from(clearText).toString('base64').replace(/=+$/, ''))
    const telling = lines.filter((line) => spellings.some((spelling) => line.includes(spelling)))
    assert.deepEqual(telling, [], `${name} was logged`)
  }
  const caught = lines.filter((line) => line.includes(hidden))
  assert.deepEqual(caught, [], 'a secret was handed to the log and hidden in the last moment; do not hand it over')
}
