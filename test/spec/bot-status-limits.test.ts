import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { assertHeaders, id, openScene, passingHeaders } from '../support/status-bot.ts'

describe('429: more than 60 requests per minute from one client IP', () => {
  test('the 61st request within a minute gets 429, with the same number in Retry-After and the body', async (t) => {
    const { world, record } = await openScene(t)
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await record(count % 2 === 0 ? id : 'unknown')).status, count % 2 === 0 ? 200 : 404)
      await world.clock.advance(500)
    }
    // The previous sixty requests took 30 seconds, so all of them are within the last minute.
    const response = await record(id)
    assert.equal(response.status, 429)
    assertHeaders(response, {
      ...passingHeaders,
      'retry-after': '31',
      'access-control-expose-headers': 'Retry-After',
      'content-type': 'application/json; charset=utf-8',
    })
    assert.equal(await response.text(), '{"error":"Rate limit exceeded","retryAfterSec":31,"limit":60}')
    await world.clock.advance(31_000)
    assert.equal((await record(id)).status, 200)
  })

  test('each client address has its own limit; all spellings of an address, and all addresses of an IPv6 /64, count as one client', async (t) => {
    const { from } = await openScene(t, {}, { TRUST_PROXY: '1' })
    const spellings = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:C000:201']
    for (let count = 0; count < 60; count += 1) assert.equal((await from(spellings[count % 3]!)).status, 200)
    for (const address of spellings) assert.equal((await from(address)).status, 429)
    assert.equal((await from('192.0.2.2')).status, 200)
    for (let count = 0; count < 60; count += 1)
      assert.equal((await from(`2001:DB8:0:7::${count.toString(16)}`)).status, 200)
    assert.equal((await from('2001:db8:0:7:ffff:ffff:ffff:ffff')).status, 429)
    assert.equal((await from('2001:db8:0:8::1')).status, 200)
  })

  test('clients whose address the proxy hides, or reports in no valid form, count as the proxy', async (t) => {
    const { world, from } = await openScene(t, {}, { TRUST_PROXY: '1' })
    for (let count = 0; count < 60; count += 1) assert.equal((await from(`_hidden${count}`)).status, 200)
    assert.equal((await from('unknown')).status, 429)
    assert.equal((await from('192.0.2.1')).status, 200)
    const page = (address: string) =>
      fetch(`${world.baseUrl}/botstatus/${id}`, { headers: { 'x-forwarded-for': address } })
    for (let count = 0; count < 60; count += 1) assert.equal((await page(`192.0.2.1, _hidden${count}`)).status, 200)
    assert.equal((await page('192.0.2.1, unknown')).status, 429)
    assert.equal((await page('192.0.2.1')).status, 200)
  })

  test('without a trusted proxy the peer address is the client, whatever X-Forwarded-For says; our choice: the log says only once that a forwarded header is ignored', async (t) => {
    useOwnWorld(t)
    const { world, record, from } = await openScene(t)
    const warnings = () => world.logs().split('TRUST_PROXY is not set').length - 1
    assert.equal((await record(id)).status, 200)
    assert.equal(warnings(), 0)
    for (let count = 1; count < 60; count += 1) assert.equal((await from(`192.0.2.${count}`)).status, 200)
    assert.equal((await from('198.51.100.1')).status, 429)
    assert.equal(warnings(), 1)
  })

  test('our choice: the status page, its stream, preview and feed have a limit of 60 requests each, badges and shields one of 600 together, since an image proxy fetches for many users', async (t) => {
    const { ask } = await openScene(t)
    for (let count = 0; count < 60; count += 1) assert.equal((await ask(`${id}/api`)).status, 200)
    for (const [files, most] of [
      [[''], 60],
      [['/events'], 60],
      [['/preview.png'], 60],
      [['/feed.atom'], 60],
      [['/badge.svg', '/shield.json'], 600],
    ] as const) {
      // An unknown bot counts too, and is cheaper.
      const statuses = new Set<number>()
      for (let count = 0; count < most; count += 1) {
        const answer = await ask(`nobody${files[count % files.length]}`)
        await answer.text()
        statuses.add(answer.status)
      }
      assert.ok(!statuses.has(429), files[0])
      const refused = await ask(`${id}${files[0]}`)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'], files[0])
      assert.match(await refused.text(), most === 60 ? /Try again in 1 minute\./ : /"retryAfterSec":60,"limit":600}/)
    }
    for (const file of ['/feed.atom', '/badge.svg']) {
      const preflight = await ask(`${id}${file}`, { method: 'OPTIONS' })
      assert.equal(preflight.status, 204, 'OPTIONS is not limited')
    }
  })
})
