import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import { ask, openSetting, pick } from './webhook-gateway-scene.ts'

type Target = Record<'botId' | 'path', string>

describe('Webhook gateway: URLs where the specification is silent', () => {
  test('the gateway’s 404 response is byte for byte the same for every cause, except for the date; a path that differs in case or slashes, has disallowed characters or over 100, or is percent-encoded returns it too', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const { bots } = world.service
    const deleted = await provisionListeningBot(world.service, { botId: 'gone' })
    await bots.records.remove(deleted.botId)
    const deaf = await provisionListeningBot(world.service, { botId: 'deaf' })
    await bots.flows.put(deaf.botId, deaf.flowId, { kind: 'event', name: 'Orders', webhook: null })
    const targets: [string, Target][] = [
      ['unknown bot', { botId: 'nobody', path: open.path }],
      ['bot ID in other case', { botId: open.botId.toUpperCase(), path: open.path }],
      ['unknown path', { botId: open.botId, path: 'nothing' }],
      ['unknown path where a key is required', { botId: keyed.botId, path: 'nothing' }],
      ['soft-deleted bot', deleted],
      ['flow without webhook', deaf],
      ['no bot id', { botId: 'x'.repeat(65), path: open.path }],
      ['chat-platform id', { botId: '215215215215215215', path: open.path }],
      ['percent-encoded bot', { botId: 'gree%74er', path: open.path }],
      ...[
        ...['Hooks/orders', 'hooks/orders/', 'hooks//orders', '/hooks/orders', 'hooks', 'hooks/./orders'],
        ...['hooks%2Forders', 'hooks/%6Frders', 'hooks/orders%00', 'hooks/orders%2F..%2Fmore'],
        ...['hooks/orders!', 'hooks/ördérs', 'hooks/a:b', 'hooks/orders;v=1', 'x'.repeat(101), ''],
      ].map((path): [string, Target] => [`path ${path}`, { botId: open.botId, path }]),
    ]
    for (const [what, target] of targets) {
      for (const key of ['', 'svc-key: some\r\n']) {
        const connection = await RawConnection.to(t, world.apiUrl)
        const head = `Host: h\r\n${key}Content-Length: 2\r\nConnection: close\r\n\r\nhi`
        connection.write(Buffer.from(`POST /${target.botId}/${target.path} HTTP/1.1\r\n${head}`, 'latin1'))
        const text = (await connection.ended()).replace(/\r\nDate: [^\r]*/, '')
        assert.deepEqual(
          [what, text],
          [
            what,
            'HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{"error": "Not found."}',
          ],
        )
      }
    }
  })

  test('any other gateway URL returns 404 with the gateway’s error body', async (t) => {
    const { world } = await openSetting(t)
    for (const [method, address] of [
      ['GET', '/'],
      ['POST', '/'],
      ['GET', '/nothing'],
      ['POST', '/nothing'],
      ['POST', '/health'],
      ['GET', '/Health'],
      ['GET', '/runtime'],
    ] as const) {
      const received = await ask(world, address, { method })
      assert.deepEqual(
        [address, received],
        [address, { status: 404, type: 'application/json', body: '{"error": "Not found."}' }],
      )
    }
    // Only GET opens a WebSocket (RFC 6455 section 4.1).
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write('POST /runtime HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    assert.deepEqual(pick(await connection.answer()), [404, '{"error": "Not found."}'])
    connection.reset()
  })
})
