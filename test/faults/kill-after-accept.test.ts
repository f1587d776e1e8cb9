import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../support/gatehouse-process.ts'
import { bodyOf, connect, operatedEnvironment, provision } from '../support/service-process-client.ts'
import { startInProcess } from '../support/start-in-process.ts'

describe('kill -9 after webhooks were accepted', () => {
  test('after kill -9, a delivery in flight is redelivered with attempt 2, and an acknowledged delivery is not redelivered', async (t) => {
    const env = await operatedEnvironment(t)
    const first = await serve(t, env)
    const key = await provision(env)
    const runtime = await connect(t, env, key, { credit: 2 })
    for (const body of ['acknowledged', 'in flight'])
      await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body })
    const done = await runtime.next('dispatch')
    await runtime.next('dispatch')
    runtime.send({ type: 'ack', deliveries: [done.delivery] })
    await settled(env)
    first.signal('SIGKILL')
    await first.exited

    await startInProcess(t, env)
    const again = await connect(t, env, key, { credit: 2 })
    const events = [await again.next('dispatch'), await again.next('dispatch')]
    assert.deepEqual(events.map(bodyOf).sort(), ['behind', 'in flight'])
    assert.equal(events.find((event) => bodyOf(event) === 'in flight')?.attempt, 2)
  })
})

/** Waits until another webhook is accepted. By then, any earlier acknowledgement is on disk. */
async function settled(env: Record<string, string>): Promise<void> {
  const answer = await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body: 'behind' })
  assert.equal(answer.status, 202)
}
