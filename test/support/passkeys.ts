import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Browser, formTokenOf, openAda, signedIn } from './people.ts'
import { type Deviations, SoftwareAuthenticator } from './software-authenticator.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests compare complete bodies of any shape
type StatusAndJson = [status: number, json: any]

/** A page that uses passkeys, open in a browser. Sends what the page's script sends. */
export class PasskeyPage {
  readonly world: World
  readonly browser: Browser
  readonly formToken: string

  constructor(world: World, browser: Browser, formToken: string) {
    this.world = world
    this.browser = browser
    this.formToken = formToken
  }

  static async open(world: World, browser = new Browser(), path = '/sign-in'): Promise<PasskeyPage> {
    return new PasskeyPage(world, browser, formTokenOf(await browser.get(world.baseUrl + path)))
  }

  /** Posts a form. Asserts that the response is uncached JSON. */
  async post(path: string, fields: Record<string, string> = {}): Promise<StatusAndJson> {
    const body = new URLSearchParams({ form_token: this.formToken, ...fields })
    const { status, headers, text } = await this.browser.post(this.world.baseUrl + path, body)
    assert.match(headers.get('content-type') ?? '', /^application\/json/, `${status} ${text}`)
    assert.equal(headers.get('cache-control'), 'no-store')
    return [status, JSON.parse(text)]
  }

  async options(path: string) {
    const [status, options] = await this.post(path)
    assert.equal(status, 200, JSON.stringify(options))
    return options
  }

  /** Registers the device. Returns the response. */
  async add(device: SoftwareAuthenticator, lies: Deviations = {}, name = ''): Promise<StatusAndJson> {
    const options = await this.options('/account/passkeys/challenge')
    return this.post('/account/passkeys', { name, response: device.create(options, lies) })
  }

  /** Registers a new device and returns it. */
  async register(name = ''): Promise<SoftwareAuthenticator> {
    const device = this.newDevice()
    assert.deepEqual(await this.add(device, {}, name), [200, { location: '/account/passkeys' }])
    return device
  }

  newDevice(): SoftwareAuthenticator {
    return new SoftwareAuthenticator({ origin: this.world.baseUrl })
  }

  async signIn(device: SoftwareAuthenticator, lies: Deviations = {}, path = '/sign-in/passkey') {
    const response = device.get(await this.options('/sign-in/passkey/challenge'), lies)
    return this.post(path, { response })
  }
}

/**
 * Opens a world in which Ada has a passkey on `device`. `home` is her page of passkeys; `signInPage` is in another
 * browser.
 */
export async function openScene(t: TestContext) {
  const { world, client } = await openAda(t)
  const home = await PasskeyPage.open(world, await signedIn(world), '/account/passkeys')
  return { world, client, home, device: await home.register(), signInPage: await PasskeyPage.open(world) }
}

export function refusal(error: string, message: string, status = 422): [number, { error: string; message: string }] {
  return [status, { error, message }]
}

export const signedInAt = (location: string): StatusAndJson => [200, { location }]

export const notVerified = refusal(
  'verification-failed',
  'This passkey couldn’t be verified. Open this page at its usual URL and try again.',
)
export const notKnown = refusal(
  'passkey-unknown',
  'Unknown passkey. It may have been removed or belong to another account. Use another one.',
)
export const usedUp = refusal(
  'challenge-unknown',
  'This took longer than 5 minutes, or was already submitted. Try again.',
)
