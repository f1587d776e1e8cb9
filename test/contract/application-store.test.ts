import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApplicationStore, ClientSecret } from '../../src/domain/applications/application-store.ts'
import { asClientId, type ClientId, parseUserId, Secrets, sameDigest } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce } from '../support/together.ts'
import { withPeople } from './bot-stores.ts'
import { anApplication } from './people-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const ada = parseUserId('ada')!
const bob = parseUserId('bob')!

onEachDatabase('ApplicationStore', withPeople, (open) => {
  test('exactly one of fifty simultaneous creations with the same ID succeeds', async (t) => {
    const { applications: store } = await open(t)
    const outcomes = await atOnce(50, (index) =>
      store.addApplication({ ...acme, clientId: asClientId(`svc_ci_${index}`) }, aSecret(`secret ${index}`)),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 1)
  })

  test('redirect URIs that the owner adds simultaneously are all kept, and clear verified and firstParty', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication({ ...acme, verified: true, firstParty: true }, aSecret('first'))
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
    await store.addApplication(acme, aSecret('first'))
    const rotations = Array.from({ length: 50 }, (_, index) =>
      store.replaceSecrets(acme.id, ada, aSecret(`secret ${index + 1_000}`), 2_000),
    )
    await Promise.all(rotations)
    assert.equal((await store.findById(acme.id))?.secrets.length, 1)
  })

  test('exactly one of fifty simultaneous additions of a second client secret succeeds', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication(acme, aSecret('first'))
    const outcomes = await atOnce(50, (index) =>
      store.addSecret(acme.id, ada, aLabelled(`secret ${index}`), twoAt(2_000)),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'too-many').length, 49)
  })

  test('either of two client secrets can be removed, but not the last one; a removed secret’s number is not reused', async (t) => {
    const { applications: store } = await open(t)
    await store.addApplication(acme, aSecret('first'))
    assert.equal(await store.removeSecret(acme.id, ada, 1), 'last-one')
    await store.addSecret(acme.id, ada, aLabelled('second'), twoAt(2_000))
    assert.equal(await store.removeSecret(acme.id, ada, 3), 'secret-unknown')
    const second = held('second', 2_000, { number: 2, label: 'blue' })
    assert.deepEqual(await store.removeSecret(acme.id, ada, 1), {
      application: { ...acme, secrets: [second] },
      revoked: [held('first', 1_000)],
    })
    assert.deepEqual(await authentication(store, acme.clientId), [{ id: acme.id, number: 2, of: 'second' }])
    await store.addSecret(acme.id, ada, aLabelled('third'), twoAt(3_000))
    assert.equal((await store.findById(acme.id))?.secrets[1]?.number, 3)
  })
})

const acme = anApplication('acme', {
  redirectUris: ['https://acme.example/callback', 'https://acme.example/other?x=1'],
})

function held(clearText: string, createdAtMs: number, more: Partial<ClientSecret> = {}): ClientSecret {
  return { number: 1, label: null, lastFour: clearText.slice(-4), createdAtMs, lastUsedAtMs: null, ...more }
}

/** Returns the client's secrets as `findForAuthentication` does, with each digest replaced by the plaintext in `of`. */
async function authentication(store: ApplicationStore, clientId: ClientId) {
  return (await store.findForAuthentication(clientId)).map(({ id, number, digest }) => ({
    id,
    number,
    of: ['first', 'second', 'third'].find((clearText) =>
      sameDigest(digest ?? new Uint8Array(), secrets.digest(clearText)),
    ),
  }))
}

const twoAt = (nowMs: number) => ({ atMost: 2, nowMs })

function aLabelled(clearText: string) {
  return { ...aSecret(clearText), label: 'blue' }
}

function aSecret(clearText: string) {
  return { digest: secrets.digest(clearText), lastFour: clearText.slice(-4) }
}
