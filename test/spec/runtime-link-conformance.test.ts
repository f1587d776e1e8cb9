import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ServiceUnderTest, serviceCases } from '../../clients/conformance/fake-runtime-cases.ts'
import { makeRuntime, provisionListeningBot } from '../support/bot-runtime.ts'
import { openWorld } from '../support/world.ts'

describe('The service passes the conformance kit’s cases for services', () => {
  for (const { title, run } of serviceCases) {
    test(title, async (t) => {
      const world = await openWorld(t)
      const { botId, path, key: flowKey } = await provisionListeningBot(world.service)
      const { botId: otherBotId } = await provisionListeningBot(world.service, { botId: 'guard' })
      const { id, key } = await makeRuntime(world, [botId, otherBotId])
      let stopped: Promise<unknown> | undefined
      const ends: (() => Promise<void>)[] = []
      const service: ServiceUnderTest = {
        url: `${world.apiUrl.replace('http', 'ws')}/runtime`,
        key,
        botId,
        otherBotId,
        webhook: (body, to = botId) => accepted(`${world.apiUrl}/${to}/${path}`, flowKey, body),
        async advance(ms) {
          await world.clock.advance(ms)
          // The queue may still be writing after the clock has advanced. The probe waits for its own, later write.
          await world.service.queue.probe()
        },
        stop() {
          stopped = world.restart()
        },
        async endKey() {
          await world.service.bots.runtimes.remove(id, 'operator')
        },
        onCleanup: (end) => ends.push(end),
      }
      try {
        await run(service)
        await stopped
      } finally {
        await Promise.all(ends.map((end) => end()))
      }
    })
  }
})

async function accepted(url: string, flowKey: string, body: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'svc-key': flowKey } })
  assert.equal(answer.status, 202)
}
