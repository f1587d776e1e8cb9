import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pkce } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import type { ClientScene } from './registration.ts'

/** Values for the placeholders of a recorded request, which are written in braces. */
type Values = Record<string, string>

interface TokenAnswer {
  access_token: string
  token_type: string
  expires_in: number
  scope: string
  refresh_token: string
}

/**
 * Requests recorded from a library in another language, read from `recorded/<library>.http`. They are replayed byte for
 * byte; only values that differ between runs are filled in.
 */
export class Recording {
  readonly #requests: ReadonlyMap<string, string>
  readonly #scene: ClientScene
  readonly #connection: RawConnection
  readonly #values: Values

  private constructor(requests: ReadonlyMap<string, string>, scene: ClientScene, connection: RawConnection) {
    this.#requests = requests
    this.#scene = scene
    this.#connection = connection
    const { verifier, challenge } = pkce()
    this.#values = {
      host: new URL(scene.gatehouse).host,
      client_id: scene.clientId,
      client_secret: scene.clientSecret,
      basic: Buffer.from(`${scene.clientId}:${scene.clientSecret}`).toString('base64'),
      redirect_uri: encodeURIComponent(scene.redirectUri),
      state: 'c3b1a2f4d5e6978800112233445566778899aabbccddeeff',
      verifier,
      challenge,
    }
  }

  static async of(t: TestContext, library: string, scene: ClientScene): Promise<Recording> {
    const text = readFileSync(join(import.meta.dirname, 'recorded', `${library}.http`), 'utf8')
    const [, ...sections] = text.split(/^### /m)
    const requests = sections.map((section): [string, string] => {
      const nameEnd = section.indexOf('\n')
      return [section.slice(0, nameEnd), section.slice(nameEnd + 1).trimEnd()]
    })
    return new Recording(new Map(requests), scene, await RawConnection.to(t, scene.gatehouse))
  }

  /** Opens the recorded URL in the browser, goes through consent and stores the code. */
  async consent(): Promise<void> {
    const address = this.#filled('consent').slice('GET '.length)
    const callback = await this.#scene.consent(`${this.#scene.gatehouse}${address}`)
    assert.equal(callback.searchParams.get('state'), this.#values.state, 'omniauth-oauth2 requires the state')
    assert.deepEqual([...callback.searchParams.keys()], ['code', 'state'])
    this.#values.code = callback.searchParams.get('code') ?? ''
  }

  /** Sends a recorded request. `instead` overrides placeholder values. */
  async send(name: string, instead: Values = {}) {
    const [head = '', body = ''] = this.#filled(name, instead).split('\n\n')
    const length = String(Buffer.byteLength(body))
    this.#connection.write(`${head.replace('{length}', length).replaceAll('\n', '\r\n')}\r\n\r\n${body}`)
    return this.#connection.answer()
  }

  /** Sends a recorded request to the token endpoint and stores the tokens. */
  async tokens(name: string): Promise<TokenAnswer> {
    const { status, headers, body } = await this.send(name)
    assert.equal(status, 200, body)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    const answer = JSON.parse(body) as TokenAnswer
    // At least one of the libraries fails if a member is missing or has another type, or if there is an `error`.
    assert.deepEqual(
      Object.entries(answer).map(([member, value]) => `${member}: ${typeof value}`),
      ['access_token: string', 'token_type: string', 'expires_in: number', 'scope: string', 'refresh_token: string'],
    )
    // oauthlib compares scopes as sets, and raises an error if they differ.
    assert.deepEqual(answer.scope.split(' ').sort(), ['offline_access', 'user.identify'])
    Object.assign(this.#values, { access_token: answer.access_token, refresh_token: answer.refresh_token })
    return answer
  }

  #filled(name: string, instead: Values = {}): string {
    const request = this.#requests.get(name)
    assert.ok(request, `no request ${name} is recorded; there are ${[...this.#requests.keys()].join(', ')}`)
    const values: Values = { ...this.#values, ...instead, length: '{length}' }
    return request.replaceAll(/\{([a-z_]+)\}/g, (_all, value: string) => {
      const text = values[value]
      assert.ok(text !== undefined, `the request ${name} needs {${value}}, which no response has set yet`)
      return text
    })
  }
}
