import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Runtime, RuntimeStore } from '../../src/domain/bots/runtimes/runtime.ts'
import { Secrets } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { nowMs, runtimeId, withPeople } from './bot-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const most = 3
const dayMs = 24 * 3_600_000

onEachDatabase('RuntimeStore', withPeople, (open) => {
  test('a runtime’s previous key works until it expires; a third key invalidates the first immediately', async (t) => {
    const { runtimes } = await open(t)
    const { id } = aRuntime('r1')
    await add(runtimes, aRuntime('r1'))
    const works = async (clearText: string, atMs: number) =>
      (await runtimes.findByKey(secrets.digest(clearText), atMs)) !== undefined
    const endsAtMs = nowMs + dayMs
    const replaced = await runtimes.replaceKey(id, null, aKey('second'), { endsAtMs }, nowMs)
    assert.ok(typeof replaced === 'object')
    assert.deepEqual(
      replaced.runtime.keys.map((key) => [key.lastFour, key.endsAtMs]),
      [
        ['cond', null],
        ['y r1', endsAtMs],
      ],
    )
    assert.deepEqual([await works('key r1', endsAtMs - 1), await works('key r1', endsAtMs)], [true, false])
    assert.deepEqual(await runtimes.findByKey(secrets.digest('key r1'), nowMs), {
      runtime: aRuntime('r1'),
      key: { number: replaced.runtime.keys[1]?.number, endsAtMs },
    })

    await runtimes.replaceKey(id, null, aKey('third'), { endsAtMs }, nowMs)
    assert.deepEqual(
      [await works('key r1', nowMs), await works('second', nowMs), await works('third', nowMs)],
      [false, true, true],
    )
    await runtimes.replaceKey(id, null, aKey('fourth'), { endsAtMs: nowMs }, nowMs)
    assert.deepEqual([await works('third', nowMs), await works('fourth', endsAtMs)], [false, true])
  })
})

function aRuntime(id: string, runtime: Partial<Runtime> = {}): Runtime {
  return { id: runtimeId(id), name: `Runtime ${id}`, ownerId: null, botIds: null, ...runtime }
}

function aKey(clearText: string) {
  return { digest: secrets.digest(clearText), lastFour: clearText.slice(-4) }
}

/** Adds the runtime. Its plaintext key is `key` followed by a space and the runtime's ID. */
function add(runtimes: RuntimeStore, runtime: Runtime, atMs = nowMs) {
  return runtimes.addRuntime(runtime, aKey(`key ${runtime.id}`), most, atMs)
}
