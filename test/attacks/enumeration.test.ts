import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBot, provision } from '../support/people.ts'

test('our choice: unknown, deleted and non-public bots have the same status response, as JSON, page, picture and stream', async (t) => {
  const { world } = await openBot(t)
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
