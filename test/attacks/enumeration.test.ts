import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/bot-people.ts'
import { type Answer, ada, adaWithClient, Browser, postForm, provision, redeem } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Returns the status and page without the parts that vary between requests. */
function withoutVariation({ status, text }: Pick<Answer, 'status' | 'text'>, ...own: string[]): string {
  let plain = text.replaceAll(/value="[A-Za-z0-9_-]{43}"/g, 'value=""').replaceAll(/[0-9A-Z]{4}-[0-9A-Z]{4}/g, '')
  for (const word of own) plain = plain.replaceAll(word, '')
  return `${status} ${plain}`
}

describe('A request for another user’s data does not reveal whether the data exists', () => {
  test('our choice: a sign-in with a wrong password and one without an account get the same response', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const attempt = async (email: string) => {
      const browser = new Browser()
      const page = await browser.get(`${world.baseUrl}/sign-in`)
      return withoutVariation(await browser.submit(page, { email, password: 'not this one' }, '/sign-in'), email)
    }
    assert.equal(await attempt(ada.email), await attempt('nobody@example.com'))
  })

  test('our choice: unknown, deleted and non-public bots have the same status response, as JSON, page, picture and stream', async (t) => {
    const { world } = await openScene(t)
    const bot = { ownerId: 'ada', name: 'Gone', chatPlatformId: '223456789012345678', publicStatus: true }
    await provision(world, 'PUT', '/v1/bots/dismissed', bot)
    await provision(world, 'DELETE', '/v1/bots/dismissed')
    for (const part of ['/api', '', '/badge.svg', '/preview.png', '/events']) {
      const answers = await Promise.all(
        ['nobody', 'dismissed', 'bot-1', '323456789012345678', '223456789012345678', '123456789012345678'].map(
          async (ref) => {
            const answer = await fetch(`${world.baseUrl}/botstatus/${ref}${part}`)
            const { date, ...headers } = Object.fromEntries(answer.headers)
            const text = (await answer.text()).replaceAll(ref, '')
            // Content lengths may differ, because a response can repeat the requested ID.
            return JSON.stringify({ status: answer.status, text, headers: { ...headers, 'content-length': '' } })
          },
        ),
      )
      assert.equal(new Set(answers).size, 1, `${part}: ${[...new Set(answers)].join('\n')}`)
    }
  })

  test('our choice: every page of another owner’s bot and of a missing bot returns the same 404', async (t) => {
    const { world, as, at } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/f', {
      kind: 'event',
      name: 'F',
      webhook: { path: 'f', requiresKey: false },
    })
    const stan = await as('stan')
    for (const part of [
      '',
      '/flows',
      '/flows/f',
      '/flows/f/key',
      '/coworkers',
      '/coworkers/ed',
      '/deliveries',
      '/deliveries/1',
      '/logs',
      '/runtimes',
      '/dead-letters/discard',
    ]) {
      const theirs = withoutVariation(await stan.get(at(`/bots/bot-1${part}`)), 'bot-1')
      assert.equal(theirs, withoutVariation(await stan.get(at(`/bots/bot-9${part}`)), 'bot-9'), part)
      assert.match(theirs, /^404 /)
    }
  })

  test('our choice: an unknown client and a wrong secret get the same response, and introspecting an unknown token reveals nothing', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const wrong = await redeem(world, { ...client, clientSecret: `svc_cs_${'x'.repeat(48)}` }, 'svc_ac_none')
    const unknown = await redeem(world, { ...client, clientId: 'svc_ci_nobody' }, 'svc_ac_none')
    assert.deepEqual([wrong.status, wrong.json], [unknown.status, unknown.json])
    const introspect = (token: string) =>
      postForm(`${world.baseUrl}/api/oauth/introspect`, {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        token,
      })
    assert.deepEqual((await introspect(`svc_at_${'x'.repeat(72)}`)).json, { active: false })
    assert.deepEqual((await introspect(client.clientSecret)).json, { active: false })
  })

  test('our choice: a webhook for an unknown bot, an unknown path or a deleted bot gets 404; only a path with a listening flow returns 401 for a missing key', async (t) => {
    const { world } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/f', {
      kind: 'event',
      name: 'F',
      webhook: { path: 'f', requiresKey: true },
    })
    const bot = { ownerId: 'ada', name: 'Gone', chatPlatformId: '223456789012345678' }
    await provision(world, 'PUT', '/v1/bots/dismissed', bot)
    await provision(world, 'PUT', '/v1/bots/dismissed/flows/f', {
      kind: 'event',
      name: 'F',
      webhook: { path: 'f', requiresKey: true },
    })
    await provision(world, 'DELETE', '/v1/bots/dismissed')
    for (const path of ['nobody/f', 'bot-1/nowhere', 'dismissed/f', 'bot-1/F', 'BOT-1/f']) {
      const answer = await fetch(`${world.apiUrl}/${path}`, { method: 'POST' })
      assert.deepEqual([answer.status, await answer.text()], [404, '{"error": "Not found."}'], path)
    }
    assert.equal((await fetch(`${world.apiUrl}/bot-1/f`, { method: 'POST' })).status, 401)
  })

  test('our choice: without the operator key the control surface reveals nothing about records', async (t) => {
    const { world } = await openScene(t)
    const bodies = await Promise.all(
      ['users/ada', 'users/nobody', 'bots/bot-1', 'bots/nobody', 'runtimes', 'audit'].map(async (path) => {
        const answer = await fetch(`${world.controlUrl}/v1/${path}`, {
          headers: { authorization: 'Bearer not-the-operator-key' },
        })
        return `${answer.status} ${await answer.text()}`
      }),
    )
    assert.equal(new Set(bodies).size, 1)
    assert.match(bodies[0] ?? '', /^401 /)
  })
})
