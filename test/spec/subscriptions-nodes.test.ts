import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventReceiver } from '../support/event-receiver.ts'
import { openNodes } from '../support/nodes.ts'
import { provision } from '../support/people.ts'

describe('our choice: events out on several nodes', () => {
  test('each outgoing event is sent once, whichever node queued it; when one node stops, the other still sends events', async (t) => {
    const [first, second] = await openNodes(t, { EVENTS_ALLOW_PRIVATE: 'true' })
    const receiver = await EventReceiver.open(t)
    const body = { url: `${receiver.url}/one`, types: ['bot.online'] }
    assert.equal((await provision(first, 'PUT', '/v1/subscriptions/one', body)).status, 201)
    for (const node of [first, second, first, second]) {
      assert.equal((await provision(node, 'POST', '/v1/subscriptions/one/test')).status, 202)
    }
    const events = await receiver.on('/one', 4)
    assert.equal(new Set(events.map(({ headers }) => headers['webhook-id'])).size, 4)
    await first.stop()
    await provision(second, 'POST', '/v1/subscriptions/one/test')
    await receiver.on('/one', 5)
    assert.equal(receiver.received.length, 5)
  })
})
