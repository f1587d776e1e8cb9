import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada } from './support/people.ts'
import { assertNoSecretIn } from './support/secrets-sent.ts'
import { openWorld } from './support/world.ts'

test('assertNoSecretIn fails if a log contains a secret that the test sent, in any encoding, or one that only the logger redacted', async (t) => {
  const world = await openWorld(t)
  const body = new URLSearchParams({ email: ada.email, password: 'told "to" somebody' })
  await fetch(`${world.baseUrl}/sign-in`, { method: 'POST', body, headers: { authorization: 'Bearer a-bearer-key' } })
  assertNoSecretIn(world.logs())
  for (const line of [
    'told "to" somebody',
    'told%20%22to%22%20somebody',
    'told \\"to\\" somebody',
    'a-bearer-key',
    '[hidden]',
  ]) {
    assert.throws(() => assertNoSecretIn(`{"msg":"${line}"}`), /the log tells/, line)
  }
})
