import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { embeddedQueue } from '../../src/storage/sqlite/queue/embedded-queue.ts'
import { claimOf, newEvent } from '../contract/queue-scene.ts'
import { roomy } from '../contract/queue-under-test.ts'
import { HeldDisk } from '../support/adapters/held-disk.ts'
import { openQueueFile, queueFolder } from '../support/adapters/open-queue.ts'

const event = newEvent()

describe('The queue accepts an event only once it is on disk', () => {
  function openHeldQueue(t: TestContext) {
    const folder = queueFolder(t)
    const disk = new HeldDisk()
    const failures: Error[] = []
    const file = openQueueFile(folder, { sync: disk.sync, onFailure: (error) => failures.push(error) })
    t.after(() => file.close())
    const queue = embeddedQueue({ file, limits: roomy, nowMs: 0, chance: () => 0, strictFlows: () => [] })
    return { disk, queue, failures, folder }
  }

  test('an event that is not on disk is not dispatched', async (t) => {
    const { disk, queue } = openHeldQueue(t)
    const accepting = queue.accept(event)
    await disk.asked()
    assert.deepEqual(await queue.claim(claimOf()), { deliveries: [], more: [] })
    disk.letThrough()
    await accepting
    const claiming = queue.claim(claimOf())
    await disk.asked()
    disk.letThrough()
    assert.equal((await claiming).deliveries.length, 1)
  })

  for (const [ends, end, outcome] of [
    ['completes', 'letThrough', 'accepted'],
    ['fails', 'fail', 'unavailable'],
  ] as const) {
    test(`an event whose sync completes before an earlier event’s sync is ${outcome} only once the earlier sync ${ends}`, async (t) => {
      const { disk, queue } = openHeldQueue(t)
      const outcomes: string[] = []
      const note = (name: string) => (outcome: { kind: string }) => outcomes.push(`${name} ${outcome.kind}`)
      const first = queue.accept(event).then(note('first'))
      await disk.asked()
      const second = queue.accept(event).then(note('second'))
      while (disk.held < 2) await new Promise((resolve) => setImmediate(resolve))
      await disk.letNewestThrough()
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(outcomes, [])
      disk[end]()
      await Promise.all([first, second])
      assert.deepEqual(outcomes, [`first ${outcome}`, `second ${outcome}`])
    })
  }
})
