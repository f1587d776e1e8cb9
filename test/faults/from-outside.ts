import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { freshEnvironment } from '../gatehouse-process.ts'
import type { Reached } from '../people.ts'

export const operatorKey = 'an-operator-key-for-this-test-only-01'

/** As `freshEnvironment`, of a service that is operated by that key. */
export async function operatedEnvironment(t: TestContext): Promise<Record<string, string> & { DATA_DIR: string }> {
  return { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey }
}

/** Where the surfaces of the service with that environment are. */
export function reached(env: Record<string, string>): Reached {
  const { BASE_URL = '', PORTAL_URL = '', CONTROL_URL = '' } = env
  return { baseUrl: BASE_URL, portalUrl: PORTAL_URL, controlUrl: CONTROL_URL, operatorKey }
}

/** A user, a bot with a flow that listens, and a runtime; the runtime's key. */
export async function provision(env: Record<string, string>): Promise<string> {
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
export async function connect(
  t: TestContext,
  env: Record<string, string>,
  key: string,
  { credit, instance = 'one' }: { credit: number; instance?: string },
) {
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
  runtime.send({ type: 'ready', instance, agent: 'test/1', credit })
  await runtime.next('welcome')
  return runtime
}

/** Receives and acknowledges events until all of these have come; the bodies of all that came. */
export async function receive(
  t: TestContext,
  env: Record<string, string>,
  key: string,
  accepted: readonly string[],
): Promise<Set<string>> {
  const runtime = await connect(t, env, key, { credit: 256 })
  const missing = new Set(accepted)
  const bodies = new Set<string>()
  while (missing.size > 0) {
    const event = await runtime.next('dispatch')
    bodies.add(bodyOf(event))
    missing.delete(bodyOf(event))
    runtime.send({ type: 'ack', deliveries: [event.delivery] })
  }
  return bodies
}

export function bodyOf({ body }: Frame): string {
  return Buffer.from(body, 'base64').toString()
}
