import { setTimeout as wait } from 'node:timers/promises'
import type { ClientCase, ClientProcess } from '../client-case.ts'
import { heartbeatMs, respondWith } from '../fake-service.ts'
import { fail } from '../wait-for.ts'

/**
 * Maximum number of attempts in the first four seconds. A client that backs off makes only a few; one that doesn't
 * makes thousands.
 */
const triesMax = 15

export const endingCases: ClientCase[] = [
  finalCase(4001, 'key rejected'),
  finalCase(4002, 'protocol error'),
  finalCase(4003, 'replaced by a newer session'),
  ...[1000, 1001, 1011, 4008, 4012, 4444].map(
    (code): ClientCase => ({
      title: `a client closed with ${code} reconnects`,
      async run({ service }) {
        const session = await service.welcomed()
        session.close(code, 'as a test')
        await service.workingSession()
      },
    }),
  ),
  {
    title: 'a client reconnects after the service restarts',
    async run({ service }) {
      await service.workingSession()
      await service.stop()
      await wait(500)
      await service.start()
      await service.workingSession()
    },
  },
  {
    title: 'a client whose connections are rejected retries with increasing delays',
    async run({ service }) {
      const session = await service.welcomed()
      service.onConnect = respondWith(503)
      const { length } = service.triedAtMs
      session.reset()
      await wait(4_000)
      const tries = service.triedAtMs.length - length
      if (tries === 0) fail('the client made no attempt within 4 s')
      if (tries > triesMax) fail(`the client made ${tries} attempts within 4 s`)
      service.onConnect = 'accept'
      await service.welcomed()
    },
  },
  {
    title: 'a client whose heartbeats are not answered drops the connection after 2.5 intervals, and reconnects',
    async run({ service }) {
      const session = await service.welcomed({}, { heartbeatMs: 2_000 })
      await session.next('heartbeat')
      session.answering = false
      const atMs: number[] = []
      for (let beats = 0; beats < 2; beats += 1) {
        await session.next('heartbeat')
        atMs.push(performance.now())
      }
      await session.ended('the client keeps the connection')
      const [first = 0, second = 0] = atMs
      // Later, its leases end before the next session takes them over.
      if (performance.now() - second > 0.75 * (second - first)) fail('the client waited for more than 2.75 intervals')
      await service.workingSession()
    },
  },
  {
    title: 'a client that is not welcomed reconnects',
    async run({ service }) {
      const session = await service.connection()
      session.hello({ heartbeatMs })
      await session.next('ready')
      await service.workingSession()
    },
  },
  {
    title: 'a draining client without deliveries in flight moves to a new connection',
    async run({ service }) {
      const session = await service.beating()
      await session.next('heartbeat')
      session.send({ type: 'drain', inMs: 2_000 })
      setTimeout(() => session.close(4012, 'the service is restarting'), 2_000)
      await service.workingSession()
    },
  },
  {
    title: 'a draining client acks a delivery in flight before it moves, or lists it as working and acks it afterwards',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      session.send({ type: 'drain', inMs: 3_000 })
      setTimeout(() => session.close(4012, 'the service is restarting'), 3_000)
      const next = await service.connection()
      next.hello()
      const { working = [] } = await next.next('ready')
      next.welcome({})
      const before = session.received.some(
        ({ type, deliveries }) => type === 'ack' && deliveries.includes(event.delivery),
      )
      if (before) return
      if (!working.includes(event.delivery))
        fail('the client moved without an ack and without listing the delivery in "working"')
      await next.acked(event)
    },
  },
  {
    title: 'a leaving client without deliveries in flight sends bye and exits',
    async run({ service, client }) {
      const session = await service.workingSession()
      client.terminate()
      await session.next('bye')
      session.close(1000, 'bye')
      await exits(client)
      service.expectNoFurtherConnection('after bye')
    },
  },
  {
    title: 'a leaving client whose connection is dead exits',
    async run({ service, client }) {
      const session = await service.workingSession()
      session.freeze()
      client.terminate()
      await exits(client)
    },
  },
  {
    title: 'a leaving client that is waiting for an answer to its connection attempt exits',
    async run({ service, client }) {
      const session = await service.welcomed()
      const tried = new Promise<void>((resolve) => {
        service.onConnect = () => resolve()
      })
      session.reset()
      await tried
      client.terminate()
      await exits(client)
    },
  },
  {
    title: 'a leaving client with a delivery in flight sets its credit to 0, finishes, acks, sends bye and exits',
    async run({ service, client }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      client.terminate()
      const { n } = await session.next('credit')
      if (n !== 0) fail(`the client set its credit to ${n}`)
      await session.next('bye')
      session.close(1000, 'bye')
      await exits(client)
      const order = session.received
        .filter(({ type }) => ['credit', 'ack', 'bye'].includes(type))
        .map(({ type }) => type)
      if (order.join() !== 'credit,ack,bye') fail(`the client sent ${order.join(', ')}`)
    },
  },
]

function finalCase(code: number, because: string): ClientCase {
  return {
    title: `a client closed with ${code} (${because}) exits and does not reconnect`,
    async run({ service, client }) {
      const session = await service.beating()
      await session.next('heartbeat')
      session.close(code, because)
      const exitCode = await client.exitCode('the client did not exit')
      if (exitCode === 0) fail('the client exited with code 0, expected another code')
      await wait(heartbeatMs)
      service.expectNoFurtherConnection(`after ${code}`)
    },
  }
}

/** Fails unless the client exits with code 0. */
async function exits(client: ClientProcess): Promise<void> {
  const code = await client.exitCode('the client did not exit')
  if (code !== 0) fail(`the client exited with code ${code}`)
}
