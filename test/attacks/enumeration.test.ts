import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/bot-people.ts'
import { adaWithClient, postForm, provision, redeem } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('A request for another user’s data does not reveal whether the data exists', () => {
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
})
