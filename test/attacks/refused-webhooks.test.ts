import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBot } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'

const inventedBots = 1_100

for (const [cause, headers, path] of [
  ['an unknown path', 'Content-Length: 0', 'guess'],
  ['a malformed path', 'Content-Length: 0', 'no%20such'],
  ['a body that is too large', 'Content-Length: 1048577', 'guess'],
] as const) {
  test(`our choice: after ${inventedBots} requests to invented bots, with ${cause}, the owner of a real bot still sees a guess and its log line`, async (t) => {
    const { world, as, at } = await openBot(t)
    const post = async (botId: string) => {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(`POST /${botId}/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`)
      return (await connection.answer()).status
    }
    for (let n = 0; n < inventedBots; n += 10) {
      const statuses = await Promise.all(Array.from({ length: 10 }, (_, m) => post(`invented-${n + m}`)))
      assert.ok(statuses.every((status) => status === 404 || status === 413))
    }
    await post('bot-1')
    const { text } = await (await as('ada')).get(at('/bots/bot-1/deliveries/refused'))
    assert.equal(text.match(/<tr role="row"><th scope="row"/g)?.length, 1)
    assert.match(world.logs(), /^.*"botId":"bot-1".*webhook rejected/m)
  })
}
