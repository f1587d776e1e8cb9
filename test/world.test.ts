import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { ada } from './support/people.ts'
import { assertNoSecretIn } from './support/secrets-sent.ts'
import { freePorts, openWorld } from './support/world.ts'

test('opening a test world fails if its port is taken, and leaves no listener behind', async (t) => {
  const [port] = await freePorts(1)
  const taken = createServer().listen(port, '127.0.0.1')
  t.after(() => taken.close())
  await assert.rejects(openWorld(t, { CONTROL_URL: `http://127.0.0.1:${port}` }), { code: 'EADDRINUSE' })
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap'),
    ['TCPServerWrap'],
  )
})

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
