import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { ada, Browser, openAda, signIn } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { openOwnWorld, type World } from '../support/world.ts'

type Headers = Record<string, string>

/** Posts a form as a browser does that has opened the service at another address. */
async function post(url: string, headers: Headers): Promise<{ status: number; text: string }> {
  const body = new URLSearchParams({ email: ada.email, password: ada.password })
  const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text() }
}

function warnings(world: World): { received: string; expected: string; msg: string }[] {
  return (world.logs().match(/^.*form sent to another address.*$/gm) ?? []).map((line) => JSON.parse(line))
}

const atProxy = { origin: 'https://id.example.com', 'sec-fetch-site': 'same-origin' }

describe('our choice: a form post at another address than BASE_URL or PORTAL_URL names both addresses', () => {
  for (const [setting, name, path] of [
    ['BASE_URL', 'baseUrl', '/sign-in'],
    ['PORTAL_URL', 'portalUrl', '/sign-out'],
  ] as const) {
    test(`the log warns once that ${setting} differs, and the page names both addresses and the setting, and does not blame cookies`, async (t) => {
      const world = await openOwnWorld(t)
      for (const language of ['en', 'de']) {
        const { status, text } = await post(world[name] + path, { ...atProxy, 'accept-language': language })
        assert.equal(status, 403)
        const [main = ''] = /<main[\s\S]*<\/main>/.exec(text) ?? []
        for (const part of ['https://id.example.com', world[name], setting]) assert.ok(main.includes(part), part)
        assert.doesNotMatch(main, /cookie/i)
      }
      const warned = warnings(world).map(({ received, expected, msg }) => ({ received, expected, msg }))
      const msg = `form sent to another address than ${setting}`
      assert.deepEqual(warned, [{ received: 'https://id.example.com', expected: world[name], msg }])
    })
  }

  test('a browser that hides the origin is judged by the host that it asked for', async (t) => {
    const world = await openOwnWorld(t, { TRUST_PROXY: '1' })
    const headers = { origin: 'null', 'x-forwarded-host': 'id.example.com', 'x-forwarded-proto': 'https' }
    const { status, text } = await post(`${world.baseUrl}/sign-in`, { ...headers, 'x-forwarded-for': '192.0.2.1' })
    assert.equal(status, 403)
    assert.match(text, /This service expects another address/)
    assert.deepEqual(pluck(warnings(world), 'received'), ['https://id.example.com'])
  })

  test('a proxy that does not pass Host is logged, and the form is accepted', async (t) => {
    useOwnWorld(t)
    const { world } = await openAda(t, { TRUST_PROXY: '1' })
    const answer = await signIn(world, ada, new Browser({}, { 'x-forwarded-host': '10.0.0.7:3000' }))
    assert.equal(answer.status, 303)
    const warned = warnings(world).map(({ received, expected }) => [received, expected])
    assert.deepEqual(warned, [['http://10.0.0.7:3000', world.baseUrl]])
  })

  test('a form of another site is refused as such, and logs no warning about the address; at most ten different addresses are logged', async (t) => {
    const world = await openOwnWorld(t)
    const cross = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    const { status, text } = await post(`${world.baseUrl}/sign-in`, cross)
    assert.equal(status, 403)
    assert.match(text, /<h1>Another site sent this form<\/h1>/)
    assert.deepEqual(warnings(world), [])
    for (let n = 0; n < 12; n += 1) await post(`${world.baseUrl}/sign-in`, { origin: `https://n${n}.example` })
    assert.equal(warnings(world).length, 10)
  })
})
