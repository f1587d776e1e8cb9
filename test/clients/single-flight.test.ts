import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { oncePerToken } from '../../examples/libraries/single-flight.ts'
import { codeFor, redeem, refresh } from '../support/people.ts'
import { openClientScene } from './registration.ts'

describe('oncePerToken, for concurrent refreshes', () => {
  test('with oncePerToken, all tabs get the same response, even a tab that asks after the refresh has finished', async (t) => {
    const scene = await openClientScene(t)
    const { json: first } = await redeem(scene.world, scene, await codeFor(scene.world, scene.browser, scene))
    const once = oncePerToken((refreshToken) => refresh(scene.world, scene, refreshToken))
    const answers = await Promise.all([1, 2, 3].map(() => once(first.refresh_token)))
    answers.push(await once(first.refresh_token))
    assert.equal(new Set(answers.map(({ json }) => json.access_token)).size, 1)
    assert.equal(await scene.isAlive(answers[0]?.json.access_token), true)
  })

  test('oncePerToken does not cache a failed refresh', async () => {
    let asked = 0
    const once = oncePerToken(async () => {
      asked += 1
      throw new Error('the network is down')
    })
    await assert.rejects(once('svc_rt_any'))
    await assert.rejects(once('svc_rt_any'))
    assert.equal(asked, 2)
  })
})
