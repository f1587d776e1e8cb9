import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientSecret } from '../../src/domain/applications/application-store.ts'
import { asClientId } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { ada, aKey, anApplication, bob, withPeople } from './scene.ts'

const acme = anApplication('acme', {
  redirectUris: ['https://acme.example/callback', 'https://acme.example/other?x=1'],
})

onEachDatabase('ApplicationStore', withPeople, (open) => {
  test('exactly one of fifty simultaneous creations with the same ID succeeds', async (t) => {
    const { applications: store } = await open(t)
    const outcomes = await atOnce(50, (index) =>
      store.addApplication({ ...acme, clientId: asClientId(`svc_ci_${index}`) }, aKey(`secret ${index}`)),
    )
    assert.deepEqual(tally(outcomes), { added: 1, 'id-taken': 49 })
  })

  test('redirect URIs that the owner adds simultaneously are all kept, and clear verified and firstParty', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication({ ...acme, verified: true, firstParty: true }, aKey('first'))
    const added = Array.from({ length: 10 }, (_, index) => `https://acme.example/cb/${index}`)
    assert.equal(await store.addRedirectUri(acme.id, bob, 'https://acme.example/of-bob', 2_000), 'unknown')
    const outcomes = await Promise.all(added.map((uri) => store.addRedirectUri(acme.id, ada, uri, 2_000)))
    assert.deepEqual(outcomes, Array(10).fill({ kind: 'added' }))
    const stored = await store.findById(acme.id)
    assert.deepEqual(stored?.redirectUris.toSorted(), [...acme.redirectUris, ...added].toSorted())
    assert.deepEqual([stored?.verified, stored?.firstParty], [false, false])
  })

  test('after fifty simultaneous rotations a client has only one secret', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication(acme, aKey('first'))
    await atOnce(50, (index) => store.replaceSecrets(acme.id, ada, aKey(`secret ${index}`), 2_000))
    assert.equal((await store.findById(acme.id))?.secrets.length, 1)
  })

  test('exactly one of fifty simultaneous additions of a second client secret succeeds', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication(acme, aKey('first'))
    const outcomes = await atOnce(50, (index) =>
      store.addSecret(acme.id, ada, aLabelled(`secret ${index}`), twoAt(2_000)),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'too-many').length, 49)
  })

  test('either of two client secrets can be removed, but not the last one; a removed secret’s number is not reused', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication(acme, aKey('first'))
    assert.equal(await store.removeSecret(acme.id, ada, 1), 'last-one')
    await store.addSecret(acme.id, ada, aLabelled('second'), twoAt(2_000))
    assert.equal(await store.removeSecret(acme.id, ada, 3), 'secret-unknown')
    const second = held('second', 2_000, { number: 2, label: 'blue' })
    assert.deepEqual(await store.removeSecret(acme.id, ada, 1), {
      application: { ...acme, secrets: [second] },
      revoked: [held('first', 1_000)],
    })
    await store.addSecret(acme.id, ada, aLabelled('third'), twoAt(3_000))
    assert.equal((await store.findById(acme.id))?.secrets[1]?.number, 3)
  })
})

function held(clearText: string, createdAtMs: number, more: Partial<ClientSecret> = {}): ClientSecret {
  return { number: 1, label: null, lastFour: clearText.slice(-4), createdAtMs, lastUsedAtMs: null, ...more }
}

const twoAt = (nowMs: number) => ({ atMost: 2, nowMs })

function aLabelled(clearText: string) {
  return { ...aKey(clearText), label: 'blue' }
}
