import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { describe, type TestContext, test } from 'node:test'
import { publicResolver } from '../../src/adapters/outgoing/guarded-requests.ts'

/**
 * Opens a name server that knows `hooks.example`, says that `none.example` doesn't exist, and never responds to
 * queries for other names.
 */
async function openNameServer(t: TestContext): Promise<{ server: string; asked: string[] }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const nameEnd = query.indexOf(0, 12)
    const labels = query.subarray(12, nameEnd).toString('latin1')
    const name = labels.slice(1).replace(/[^a-z]/g, '.')
    asked.push(name)
    const isKnown = name === 'hooks.example'
    if (!isKnown && name !== 'none.example') return
    const isA = query.readUInt16BE(nameEnd + 1) === 1
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(isKnown && isA ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const question = query.subarray(12, nameEnd + 5)
    // A pointer to the name, type A, class IN, 60 seconds, 4 bytes.
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34])
    socket.send(Buffer.concat([head, question, ...(isKnown && isA ? [answer] : [])]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

describe('our choice: hosts of subscription URLs are resolved by querying name servers directly', () => {
  test('lookups without a response don’t delay others, and fail after the timeout', async (t) => {
    const { server } = await openNameServer(t)
    const resolve = publicResolver([server], 100)
    const slow = Array.from({ length: 20 }, (_, n) => resolve(`slow${n}.example`).catch((error) => error.code))
    const first = await Promise.race([resolve('hooks.example'), ...slow])
    assert.deepEqual(first, [{ address: '93.184.216.34', family: 4 }])
    assert.deepEqual(new Set(await Promise.all(slow)), new Set(['EAI_AGAIN']))
  })

  test('a host that doesn’t exist is reported; IP addresses and localhost are resolved without a name server', async (t) => {
    const { server, asked } = await openNameServer(t)
    const resolve = publicResolver([server])
    await assert.rejects(resolve('none.example'), { code: 'ENOTFOUND' })
    asked.length = 0
    assert.deepEqual(await resolve('::1'), [{ address: '::1', family: 6 }])
    assert.deepEqual(await resolve('93.184.216.34'), [{ address: '93.184.216.34', family: 4 }])
    for (const host of ['localhost', 'a.localhost.', 'LOCALHOST']) {
      assert.deepEqual(await resolve(host), [{ address: '127.0.0.1', family: 4 }])
    }
    assert.deepEqual(asked, [])
  })
})
