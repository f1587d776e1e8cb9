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
  test('a runtime is found by its key and its ID until it is removed', async (t) => {
    const { runtimes, bots } = await open(t)
    await bots.putBot(botId('one'), aBot(1), nowMs)
    const runtime = aRuntime('r1', { botIds: [botId('one')] })
    const added = await runtimes.addRuntime(runtime, aKey('key-1'), most, nowMs)
    const key = { number: 1, lastFour: 'ey-1', createdAtMs: nowMs, lastUsedAtMs: null, endsAtMs: null }
    const record = { ...runtime, createdAtMs: nowMs, keys: [key] }
    assert.deepEqual(added, { runtime: record })
    const authenticated = { runtime, key: { number: 1, endsAtMs: null } }
    assert.deepEqual(await runtimes.findByKey(secrets.digest('key-1'), nowMs), authenticated)
    assert.deepEqual(await runtimes.findRuntime(runtime.id, null), record)
    assert.equal(await runtimes.findByKey(secrets.digest('key-2'), nowMs), undefined)
    assert.deepEqual(await runtimes.removeRuntime(runtime.id, null), runtime)
    assert.equal(await runtimes.removeRuntime(runtime.id, null), undefined)
    assert.equal(await runtimes.findByKey(secrets.digest('key-1'), nowMs), undefined)
    assert.equal(await runtimes.findRuntime(runtime.id, null), undefined)
  })

  test('a runtime for unknown bots, or an owner’s runtime for another owner’s bots, is not stored, and the outcome names those bots', async (t) => {
    const { runtimes, bots } = await open(t)
    await bots.putBot(botId('one'), aBot(1), nowMs)
    await bots.putBot(botId('two'), aBot(2, { ownerId: userId('bob') }), nowMs)
    const botIds = [botId('one'), botId('two'), botId('three')]
    const ofOperator = await add(runtimes, aRuntime('r1', { botIds }))
    assert.deepEqual(ofOperator, { unknown: ['three'] })
    const ofAda = await add(runtimes, aRuntime('r1', { botIds, ownerId: userId('ada') }))
    assert.deepEqual(ofAda, { unknown: ['two', 'three'] })
    assert.equal(await runtimes.findRuntime(runtimeId('r1'), null), undefined)
  })

  test('runtimes are listed newest first, up to the requested number', async (t) => {
    const { runtimes } = await open(t)
    for (const [index, id] of ['r1', 'r2', 'r3'].entries()) await add(runtimes, aRuntime(id), nowMs + index)
    assert.deepEqual(idsOf(await runtimes.listRuntimes(null, 2)), ['r3', 'r2'])
  })

  test('an owner has access only to their own runtimes', async (t) => {
    const { runtimes } = await open(t)
    const [ada, bob] = [userId('ada'), userId('bob')]
    await add(runtimes, aRuntime('r1', { ownerId: ada }))
    await add(runtimes, aRuntime('r2'))
    assert.deepEqual(idsOf(await runtimes.listRuntimes(ada, 10)), ['r1'])
    assert.deepEqual(idsOf(await runtimes.listRuntimes(bob, 10)), [])
    assert.deepEqual(idsOf(await runtimes.listRuntimes(null, 10)).sort(), ['r1', 'r2'])
    const id = runtimeId('r1')
    assert.equal((await runtimes.findRuntime(id, ada))?.id, id)
    assert.equal(await runtimes.findRuntime(id, bob), undefined)
    assert.equal(await runtimes.replaceKey(id, bob, aKey('new'), { endsAtMs: nowMs }, nowMs), 'runtime-unknown')
    assert.equal(await runtimes.endKey(id, bob, 1, nowMs), 'runtime-unknown')
    assert.equal(await runtimes.removeRuntime(id, bob), undefined)
    assert.equal((await runtimes.findByKey(secrets.digest('key r1'), nowMs))?.runtime.id, id)
    assert.equal((await runtimes.removeRuntime(id, ada))?.id, id)
  })

  test('the number of an owner’s runtimes is limited; the number of runtimes created by the operator is not', async (t) => {
    const { runtimes } = await open(t)
    const ofAda = (id: string) => add(runtimes, aRuntime(id, { ownerId: userId('ada') }))
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

  test('a runtime’s previous key can be revoked; its current key can’t', async (t) => {
    const { runtimes } = await open(t)
    const { id } = aRuntime('r1')
    await add(runtimes, aRuntime('r1'))
    const replaced = await runtimes.replaceKey(id, null, aKey('second'), { endsAtMs: nowMs + dayMs }, nowMs)
    assert.ok(typeof replaced === 'object')
    const [current, before] = replaced.runtime.keys.map(({ number }) => number)
    assert.ok(current !== undefined && before !== undefined)
    assert.equal(await runtimes.endKey(id, null, current, nowMs), 'key-needed')
    assert.equal(await runtimes.endKey(id, null, before, nowMs + dayMs), 'key-unknown')
    const ended = await runtimes.endKey(id, null, before, nowMs)
    assert.ok(typeof ended === 'object')
    assert.deepEqual(
      ended.runtime.keys.map(({ number }) => number),
      [current],
    )
    assert.equal(await runtimes.endKey(id, null, before, nowMs), 'key-unknown')
    assert.equal(await runtimes.findByKey(secrets.digest('key r1'), nowMs), undefined)
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

function idsOf(runtimes: readonly Runtime[]): string[] {
  return runtimes.map(({ id }) => id)
}
