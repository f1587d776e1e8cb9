import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { freshEnvironment, startGatehouse } from '../gatehouse-process.ts'

const operatorKey = 'an-operator-key-for-this-test-only-01'

describe('kill -9 of the process that accepted', () => {
  test('every event that was answered with 202 is dispatched after the next start', async (t) => {
    const env: Record<string, string> = { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey }
    const first = startGatehouse(t, ['serve'], env)
    await first.says('ready')
    const key = await provision(env)

    // Eight senders post without pause; the process is killed while they do.
    const accepted: string[] = []
    let killed = false
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let n = 0; !killed; n += 1) {
        const body = `${sender}-${n}`
        try {
          const answer = await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body })
          if (answer.status === 202) accepted.push(body)
        } catch {
          assert.ok(killed, 'a sender was cut off before the process was killed')
        }
        if (accepted.length > 200 && !killed) {
          killed = true
          first.signal('SIGKILL')
        }
      }
    })
    await Promise.all(senders)
    await first.exited

    const second = startGatehouse(t, ['serve'], env)
    await second.says('ready')
    const received = await receive(t, env, key, accepted.length)
    for (const body of accepted) assert.ok(received.has(body), `${body} was answered with 202 and is gone`)
  })

  test('a delivery that was in flight comes again, and one that was acknowledged does not', async (t) => {
    const env: Record<string, string> = { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey }
    const first = startGatehouse(t, ['serve'], env)
    await first.says('ready')
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

    const second = startGatehouse(t, ['serve'], env)
    await second.says('ready')
    const again = await connect(t, env, key, { credit: 2 })
    const events = [await again.next('dispatch'), await again.next('dispatch')]
    assert.deepEqual(events.map(bodyOf).sort(), ['behind', 'in flight'])
    assert.equal(events.find((event) => bodyOf(event) === 'in flight')?.attempt, 2)
  })
})

/** A user, a bot with a flow that listens, and a runtime; the runtime's key. */
async function provision(env: Record<string, string>): Promise<string> {
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${env.CONTROL_URL}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 201, await answer.clone().text())
    return (await answer.json()) as { key: string }
  }
  await call('PUT', '/v1/users/ada', { name: 'Ada' })
  const bot = { ownerId: 'ada', name: 'Greeter', chatPlatformId: '123456789012345678', hostingEnabled: true }
  await call('PUT', '/v1/bots/greeter', bot)
  const webhook = { path: 'hooks', requiresKey: false }
  await call('PUT', '/v1/bots/greeter/flows/orders', { kind: 'event', name: 'Orders', webhook })
  return (await call('POST', '/v1/runtimes', { name: 'one', botIds: '*' })).key
}

interface Frame {
  type: string
  delivery: string
  attempt: number
  body: string
}

/** A runtime in its own words, since this test stands outside of the process. */
async function connect(t: TestContext, env: Record<string, string>, key: string, { credit }: { credit: number }) {
  const socket = new WebSocket(`${env.API_URL?.replace('http', 'ws')}/runtime`, 'gatehouse.runtime.v1', {
    headers: { authorization: `Bearer ${key}` },
  })
  t.after(() => socket.terminate())
  // The process at the other end is killed here.
  socket.on('error', () => {})
  const frames: Frame[] = []
  let arrived = () => {}
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)))
    arrived()
  })
  const runtime = {
    send: (frame: object) => socket.send(JSON.stringify(frame)),
    async next(type: string): Promise<Frame> {
      while (frames.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve
        })
      }
      const frame = frames.shift() as Frame
      assert.equal(frame.type, type)
      return frame
    },
  }
  await runtime.next('hello')
  runtime.send({ type: 'ready', instance: 'one', agent: 'test/1', credit })
  await runtime.next('welcome')
  return runtime
}

/** Receives and acknowledges that many events; their bodies. */
async function receive(t: TestContext, env: Record<string, string>, key: string, count: number): Promise<Set<string>> {
  const runtime = await connect(t, env, key, { credit: 32 })
  const bodies = new Set<string>()
  while (bodies.size < count) {
    const event = await runtime.next('dispatch')
    bodies.add(bodyOf(event))
    runtime.send({ type: 'ack', deliveries: [event.delivery] })
  }
  return bodies
}

function bodyOf({ body }: Frame): string {
  return Buffer.from(body, 'base64').toString()
}

/** Waits for a write behind the acknowledgement, which is on disk then. */
async function settled(env: Record<string, string>): Promise<void> {
  const answer = await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body: 'behind' })
  assert.equal(answer.status, 202)
}
