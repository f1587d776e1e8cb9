import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Runtime, RuntimeStore } from '../../src/domain/bots/runtimes/runtime.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, nowMs, runtimeId, userId, withPeople } from './bot-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const most = 3
const dayMs = 24 * 3_600_000

onEachDatabase('RuntimeStore', withPeople, (open) => {
  test('the number of an owner’s runtimes is limited; the number of runtimes created by the operator is not', async (t) => {
    const { bots, runtimes } = await open(t)
    const ofAda = (id: string) => add(runtimes, aRuntime(id, { ownerId: userId('ada') }))
    assert.equal(await ofAda('r0'), 'no-bot')
    await bots.putBot(botId('lantern'), aBot(1), nowMs)
    for (const id of ['r1', 'r2', 'r3']) assert.ok(typeof (await ofAda(id)) === 'object')
    assert.equal(await ofAda('r4'), 'too-many')
    assert.equal(await runtimes.findRuntime(runtimeId('r4'), null), undefined)
    for (const id of ['o1', 'o2', 'o3', 'o4']) assert.ok(typeof (await add(runtimes, aRuntime(id))) === 'object')
  })

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

  test('the last use of a runtime key is stored; the use of an unknown key is ignored', async (t) => {
    const { runtimes } = await open(t)
    await add(runtimes, aRuntime('r1'))
    const used = new Map([
      [1, nowMs + 5],
      [99, nowMs],
    ])
    await runtimes.recordKeyUse(used)
    assert.equal((await runtimes.findRuntime(runtimeId('r1'), null))?.keys[0]?.lastUsedAtMs, nowMs + 5)
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
