import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePorts, openWorld } from './world.ts'

test('a world whose port is taken fails, and leaves nothing behind that keeps the test running', async (t) => {
  const [port] = await freePorts(1)
  const taken = createServer().listen(port, '127.0.0.1')
  t.after(() => taken.close())
  await assert.rejects(openWorld(t, { CONTROL_URL: `http://127.0.0.1:${port}` }), { code: 'EADDRINUSE' })
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap'),
    ['TCPServerWrap'],
  )
})
