import { setTimeout as wait } from 'node:timers/promises'
import type { ClientCase } from '../client-case.ts'
import { heartbeatMs } from '../fake-session.ts'
import { fails } from '../patience.ts'

/**
 * Maximum attempts in the first four seconds. A client that backs off makes a few; one that does not makes thousands.
 */
const triesMax = 15

export const endingCases: ClientCase[] = [
  ...finalCase(4001, 'the key is refused'),
  ...finalCase(4002, 'the protocol was broken'),
  ...finalCase(4003, 'a newer session replaced it'),
  ...[1000, 1001, 1011, 4008, 4012, 4444].map(
    (code): ClientCase => ({
      title: `closed with ${code} it comes back`,
      async run({ service }) {
        const session = await service.welcomed()
        session.close(code, 'as a test')
        const next = await service.welcomed()
        await next.acked(next.dispatch('ok'))
      },
    }),
  ),
  {
    title: 'a service that restarts is found again',
    async run({ service }) {
      const session = await service.welcomed()
      await session.acked(session.dispatch('ok'))
      await service.stop()
      await wait(500)
      await service.start()
      const next = await service.welcomed()
      await next.acked(next.dispatch('ok'))
    },
  },
  {
    title: 'while it is turned away it tries again, with waits that grow',
    async run({ service }) {
      const session = await service.welcomed()
      service.doing = 'turn-away'
      const { length } = service.triedAtMs
      session.reset()
      await wait(4_000)
      const tries = service.triedAtMs.length - length
      if (tries === 0) fails('it did not try within 4 s')
      if (tries > triesMax) fails(`it tried ${tries} times within 4 s`)
      service.doing = 'greet'
      await service.welcomed()
    },
  },
  {
    title: 'a service that answers no heartbeat is given up, and a new connection is made',
    async run({ service }) {
      const session = await service.welcomed()
      await session.next('heartbeat')
      session.answering = false
      const next = await service.welcomed()
      await next.acked(next.dispatch('ok'))
    },
  },
  {
    title: 'asked to drain without work in hand it moves to a new connection',
    async run({ service }) {
      const session = await service.welcomed()
      await session.next('heartbeat')
      session.send({ type: 'drain', inMs: 2_000 })
      setTimeout(() => session.close(4012, 'the service is restarting'), 2_000)
      const next = await service.welcomed()
      await next.acked(next.dispatch('ok'))
    },
  },
  {
    title: 'asked to drain with work in hand it answers for it: before it moves, or after, having named it',
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
        fails('it moved without an answer and without naming the delivery in "working"')
      await next.acked(event)
    },
  },
  {
    title: 'leaving without work it says bye and ends',
    async run({ service, client }) {
      const session = await service.welcomed()
      await session.acked(session.dispatch('ok'))
      client.terminate()
      await session.next('bye')
      session.close(1000, 'bye')
      const code = await client.exitCode('it did not end after bye')
      if (code !== 0) fails(`it ended with exit code ${code}`)
      service.expectNoFurtherConnection('after bye')
    },
  },
  {
    title: 'leaving with work in hand it sets its credit to 0, finishes, acknowledges, says bye and ends',
    async run({ service, client }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      client.terminate()
      const { n } = await session.next('credit')
      if (n !== 0) fails(`it set its credit to ${n}`)
      await session.next('bye')
      session.close(1000, 'bye')
      const code = await client.exitCode('it did not end after bye')
      if (code !== 0) fails(`it ended with exit code ${code}`)
      const order = session.received
        .filter(({ type }) => ['credit', 'ack', 'bye'].includes(type))
        .map(({ type }) => type)
      if (order.join() !== 'credit,ack,bye') fails(`it sent ${order.join(', ')}`)
    },
  },
]

function finalCase(code: number, because: string): ClientCase[] {
  return [
    {
      title: `closed with ${code}, ${because}, it ends and does not come back`,
      async run({ service, client }) {
        const session = await service.welcomed()
        await session.next('heartbeat')
        session.close(code, because)
        const exitCode = await client.exitCode('it did not end')
        if (exitCode === 0) fails('it ended with exit code 0, as if all were well')
        await wait(heartbeatMs)
        service.expectNoFurtherConnection(`after ${code}`)
      },
    },
  ]
}
