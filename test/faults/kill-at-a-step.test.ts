import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { embeddedQueue } from '../../src/storage/sqlite/queue/embedded-queue.ts'
import { roomy } from '../contract/queue-scene.ts'
import { openQueueFile } from '../support/adapters/open-queue.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const botIds = ['greeter', 'lantern', 'beacon'] as BotId[]
const victim = join(import.meta.dirname, 'queue-victim.ts')

describe('kill -9 at any step of an event’s delivery loses no accepted event', () => {
  for (const [step, title] of Object.entries({
    commit: 'a kill between commit and response loses no accepted event and creates no event that was not sent',
    claim: 'a kill between claim and send loses no claimed event',
    ack: 'a kill between an acknowledgement and its sync loses no event, but may cause a redelivery',
    'second-ack':
      'a kill after a durable acknowledgement loses no event, and the acknowledged event is not redelivered',
  })) {
    test(title, async (t) => {
      const folder = temporaryFolder(t)
      const { signal, stdout, stderr } = spawnSync(process.execPath, [victim, folder, step, ...botIds], {
        encoding: 'utf8',
      })
      assert.equal(signal, 'SIGKILL', stderr)
      const told = (word: string) =>
        new Set(
          stdout.split('\n').flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [])),
        )
      const [sent, accepted, delivered, done] = [told('sent'), told('accepted'), told('delivered'), told('done')]
      assert.equal(accepted.size, 20)
      if (step === 'second-ack') assert.equal(done.size, 5)

      const { ready, finished } = await storedEvents(t, folder)
      const there = [...ready.keys(), ...finished]
      assert.equal(new Set(there).size, there.length, 'an event is there twice')
      for (const body of accepted) assert.ok(there.includes(body), `${body} was accepted and is gone`)
      for (const body of there) assert.ok(sent.has(body), `${body} was never sent`)
      for (const body of delivered) {
        if (ready.has(body)) assert.equal(ready.get(body), 2, `the attempt of ${body}`)
      }
      for (const body of done) assert.ok(finished.includes(body), `${body} comes again although its end was durable`)
    })
  }
})

/** Opens the queue again. Returns the events that it hands out, as attempts by body, and the bodies of those done. */
async function storedEvents(t: TestContext, folder: string) {
  const file = openQueueFile(folder)
  t.after(() => file.close())
  const nowMs = Date.now()
  const queue = embeddedQueue({ file, limits: roomy, nowMs, chance: () => 0, strictFlows: () => [] })
  await queue.failExpired(nowMs + limits.leaseMs)
  const claim = { holder: 'runtime/two', botIds, most: 1_000, mostBytes: 1e9, nowMs: nowMs + limits.leaseMs + 5_000 }
  const { deliveries } = await queue.claim(claim)
  const records = await Promise.all(
    botIds.map(async (botId) => {
      const { events } = await queue.log.page(botId, { state: 'done' }, { most: 1_000 })
      return Promise.all(events.map(({ id }) => queue.log.find(botId, id)))
    }),
  )
  const text = (body: Uint8Array | undefined) => Buffer.from(body ?? []).toString()
  return {
    ready: new Map(deliveries.map(({ body, attempt }) => [text(body), attempt])),
    finished: records.flat().map((record) => text(record?.body)),
  }
}
