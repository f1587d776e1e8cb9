import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { ada, adaWithClient, Browser, consentUrl } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/**
 * The attacker's requests come through a proxy that forwards the attacker's address. All other requests come from this
 * machine.
 */
const attacker = { 'x-forwarded-for': '203.0.113.7' }

async function openScene(t: TestContext) {
  const world = await openWorld(t, { TRUST_PROXY: '1' })
  const client = await adaWithClient(world)
  return { world, client }
}

/** Makes a call `times` times, 16 at a time. */
async function often(times: number, call: () => Promise<void>): Promise<void> {
  let left = times
  const row = async () => {
    while (left > 0) {
      left -= 1
      await call()
    }
  }
  await Promise.all(Array.from({ length: 16 }, row))
}

describe('The number of rows that one stranger can store is limited, and other people’s rows are never displaced', () => {
  test('our choice: an IP address that starts too many authorization attempts loses its oldest attempts; other addresses lose none', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    const request = consentUrl(world, client, { state: 'x'.repeat(4_000) })
    const begin = async () => {
      const answer = await fetch(request, { headers: attacker, redirect: 'manual' })
      assert.equal(answer.status, 302)
      return new URL(answer.headers.get('location') ?? '', world.baseUrl).searchParams.get('attempt') ?? ''
    }
    const status = async (attempt: string) => {
      const address = `${world.baseUrl}/auth/consent?attempt=${attempt}`
      return (await fetch(address, { headers: attacker, redirect: 'manual' })).status
    }
    const first = await begin()
    await world.clock.advance(1)
    await often(limits.attemptsPerAddress.long - 1, async () => void (await begin()))
    assert.equal(await status(first), 302, 'as many as its bound are kept')
    const last = await begin()
    assert.deepEqual([await status(first), await status(last)], [400, 302])

    const { email, password } = ada
    const page = await browser.onward(await browser.submit(signIn, { email, password }, '/sign-in'), world)
    const allowed = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    assert.equal(allowed.location?.searchParams.get('state'), 'the-state', allowed.text)
  })
})
