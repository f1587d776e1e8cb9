import { setTimeout as wait } from 'node:timers/promises'
import type { ClientCase } from '../client-case.ts'
import { botId, type FakeSession, heartbeatMs, otherBotId, respondWith } from '../fake-service.ts'
import { fail } from '../wait-for.ts'

export const leaseCases: ClientCase[] = [
  {
    title:
      'a delivery that a heartbeat answer reports as lost is no longer listed as working, and the next one is handled',
    async run({ service }) {
      const session = await service.beating()
      const event = session.dispatch('slow')
      await session.started(event)
      session.lost = [event.delivery]
      await session.nextNew('heartbeat')
      await expectUnclaimed(session, event.delivery)
    },
  },
  {
    title: 'an event that is redelivered after its delivery was lost is acknowledged',
    async run({ service }) {
      const session = await service.beating()
      const event = session.dispatch('slow')
      await session.started(event)
      session.lost = [event.delivery]
      await wait(3 * heartbeatMs)
      const again = session.dispatch('slow', { id: event.id, attempt: 2 })
      await session.acked(again)
    },
  },
  {
    title: 'an event that is redelivered while its handler runs is not handled twice at once',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      const again = session.dispatch('slow', { id: event.id, attempt: 2 })
      await session.acked(again)
      const starts = session.startsOf(event)
      if (starts !== 1) fail(`the handler was started ${starts} times`)
    },
  },
  {
    title: 'a finished event whose acknowledgement was lost is acknowledged again without running the handler',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.acked(event)
      await session.acked(session.dispatch('slow', { id: event.id, attempt: 2 }))
      const starts = session.startsOf(event)
      if (starts !== 1) fail(`the handler was started ${starts} times`)
    },
  },
  ...[
    {
      title: 'webhooks that two bots receive in the same millisecond are two events',
      idOf: (bot: string) => `evqjsx7xgsw0-${bot}`,
    },
    {
      title: 'webhooks of two bots are two events even if an earlier service gave them the same ID',
      idOf: () => 'evqjsx7xgsw0',
    },
  ].map(
    ({ title, idOf }): ClientCase => ({
      title,
      async run({ service }) {
        const session = await service.welcomed({ bots: [botId, otherBotId] })
        const acceptedAt = Date.now()
        const dispatch = (bot: string, attempt: number) =>
          session.dispatch('slow', { botId: bot, id: idOf(bot), acceptedAt, attempt })
        const events = [dispatch(botId, 1), dispatch(otherBotId, 1)]
        for (const event of events) await session.started(event)
        for (const event of events) await session.acked(event)
        // Redelivers the second event, as if its acknowledgement had been lost.
        await session.acked(dispatch(otherBotId, 2))
        for (const event of events) {
          const starts = session.startsOf(event)
          if (starts !== 1) fail(`the handler was started ${starts} times for the event of ${event.botId}`)
        }
      },
    }),
  ),
  {
    title: 'after a reset the client reconnects as the same instance, lists its deliveries as working, and acks them',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      session.reset()
      const next = await service.connection()
      next.hello()
      const { instance, working } = await next.next('ready')
      if (instance !== 'conformance') fail(`"instance" changed to ${JSON.stringify(instance)}`)
      if (!working?.includes(event.delivery)) fail('"working" does not list the delivery')
      next.welcome({})
      await next.acked(event)
    },
  },
  {
    title: 'an event finished while disconnected is acknowledged on the next connection',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      service.onConnect = respondWith(503)
      session.reset()
      await wait(1_200)
      service.onConnect = 'accept'
      const next = await service.connection()
      next.hello()
      const { working } = await next.next('ready')
      if (!working?.includes(event.delivery)) fail('"working" does not list the delivery')
      next.welcome({})
      await next.acked(event)
    },
  },
  {
    title: 'a delivery that the welcome reports as lost is no longer listed as working',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('slow')
      await session.started(event)
      session.reset()
      const next = await service.beating({ lost: [event.delivery] })
      await expectUnclaimed(next, event.delivery)
    },
  },
]

/**
 * Waits for the ack of another event: by then, the client has read that this delivery was lost. Then expects two
 * heartbeats that don't list the delivery as `working`.
 */
async function expectUnclaimed(session: FakeSession, delivery: string): Promise<void> {
  await session.acked(session.dispatch('ok'))
  for (let beats = 0; beats < 2; beats += 1) {
    const { working } = await session.nextNew('heartbeat')
    if (working.includes(delivery)) fail('the delivery is still listed in "working"')
  }
}
