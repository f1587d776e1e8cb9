import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewPersonalToken } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import { type OperatorKeyId, parsePersonalTokenId, type SecretDigest } from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { ada, aSession, bob, type PeopleStores } from './people-stores.ts'

const nowMs = 1_767_614_400_000
const dayMs = 24 * 3_600_000

type Stores = PeopleStores & Pick<IdentityStores, 'personalTokens'>

function token(n: number, more: Partial<NewPersonalToken> = {}): NewPersonalToken {
  return {
    id: parsePersonalTokenId(`token-${n}`)!,
    userId: ada.id,
    name: `Token ${n}`,
    scopes: ['bots.read', 'flows.write'],
    digest: new Uint8Array(32).fill(n) as SecretDigest,
    lastFour: `000${n}`,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 30 * dayMs,
    ...more,
  }
}

/** Opens the stores with Ada and Bob. Returns the number of Ada’s session as well. */
async function openWithSession(t: TestContext, open: (t: TestContext) => Promise<Stores>) {
  const stores = await open(t)
  for (const user of [ada, bob]) await stores.users.addUser(user, nowMs)
  const session = await aSession(stores, { createdAtMs: nowMs, expiresAtMs: nowMs + dayMs })
  const idsOf = async (userId = ada.id) => (await stores.personalTokens.listTokens(userId)).map(({ id }) => id)
  return { ...stores, session, idsOf }
}

onEachDatabase('PersonalTokenStore', empty, (open) => {
  test('a personal access token is not stored once the session that creates it has ended', async (t) => {
    const { personalTokens, sessions, session, idsOf } = await openWithSession(t, open)
    await sessions.endSession(session)
    assert.equal(await personalTokens.addToken(token(1), session, 9), 'session-ended')
    assert.deepEqual(await idsOf(), [])
  })

  test('of concurrent additions of personal access tokens, only as many succeed as the limit allows; expired tokens make room', async (t) => {
    const { personalTokens, session, idsOf } = await openWithSession(t, open)
    const add = (n: number) => personalTokens.addToken(token(n), session, 3)
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(add))
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 3)
    const later = token(6, { createdAtMs: nowMs + 30 * dayMs, expiresAtMs: nowMs + 60 * dayMs })
    assert.equal(await personalTokens.addToken(later, session, 3), 'added')
    assert.deepEqual(await idsOf(), ['token-6'])
  })
})

onEachDatabase('OperatorKeyStore', empty, (open) => {
  test('of concurrent additions of operator keys, only as many succeed as the limit allows', async (t) => {
    const { operatorKeys } = await open(t)
    const add = (n: number) => {
      const { name, digest, lastFour } = token(n)
      return operatorKeys.add({ id: `key-${n}` as OperatorKeyId, name, access: 'full', digest, lastFour }, 3, nowMs)
    }
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)))
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 3)
    assert.equal((await operatorKeys.list()).length, 3)
  })
})
