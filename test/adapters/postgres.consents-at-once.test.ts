import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { NewGrant } from '../../src/domain/authorization/grant-store.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { sqliteIdentity } from '../../src/storage/sqlite/sqlite-identity.ts'
import { acme, ada, aGrant, nowMs, withAdaAndAcme } from '../contract/scene.ts'
import { openIdentityFile } from '../support/adapters/open-identity.ts'
import { budget } from '../support/budget.ts'
import { openIdentityNodes } from '../support/postgres/identity.ts'

const act = fc.record({
  kind: fc.constantFrom('given', 'given', 'standing', 'standing', 'implied', 'withdrawn' as const),
  scopes: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
})

type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never
type Grants = IdentityStores['grants']

/** Prepares the acts, so that their calls start in this order. `grantsOf` returns the store that performs an act. */
function prepare(acts: readonly Act[], grantsOf: (at: number) => Grants) {
  return Promise.all(
    acts.map(async ({ kind, scopes }, at) => {
      const grants = grantsOf(at)
      if (kind === 'withdrawn') return { perform: () => grants.withdrawConsent(ada, acme, nowMs) }
      const grant = { ...(await aGrant(grants, scopes)), consent: kind }
      return { grant, perform: () => grants.issueCode(grant, nowMs) }
    }),
  )
}

const isLive = async (grants: Grants, { number }: NewGrant) => (await grants.findFamily(number))?.revokedAtMs === null

describe('postgres: concurrent writes to the same rows from two nodes', () => {
  test('after concurrent consents, skipped consents and withdrawals, every live authorization is covered by a consent', async (t) => {
    const { nodes } = await openIdentityNodes(t, 2)
    const [{ grants: store }] = nodes as [IdentityStores]
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 12 }), async (acts) => {
        await store.withdrawConsent(ada, acme, nowMs)
        const prepared = await prepare(acts, (at) => nodes[at % 2]!.grants)
        await Promise.all(prepared.map(({ perform }) => perform()))
        const consented = new Set(await store.consentedScopes(ada, acme))
        const scopesOf = (wanted: Act['kind']) =>
          new Set(acts.flatMap(({ kind, scopes }) => (kind === wanted ? scopes : [])))
        const given = scopesOf('given')
        assert.ok(consented.isSubsetOf(given), 'only what was given is allowed')
        for (const { grant } of prepared) {
          if (grant === undefined || grant.consent === 'implied' || !(await isLive(store, grant))) continue
          assert.ok(new Set(grant.scopes).isSubsetOf(consented), 'what lives is allowed')
        }
        if (acts.some(({ kind }) => kind === 'withdrawn')) return
        assert.deepEqual(consented, given)
        const listed = (await store.listConsents(ada)).flatMap((consent) => consent.scopes)
        assert.deepEqual(new Set(listed), given.union(scopesOf('implied')), 'implied consent is listed')
      }),
      { numRuns: 40 * budget, seed: 20_261_122 },
    )
  })
})

describe('postgres: writes to the same row in one transaction', () => {
  test('concurrent consents have the same result as sequential consents on SQLite', async (t) => {
    const { nodes } = await openIdentityNodes(t, 1)
    const [{ grants: merged }] = nodes as [IdentityStores]
    const { grants: plain } = await withAdaAndAcme(sqliteIdentity(openIdentityFile(t)))
    const after = async (grants: Grants, prepared: readonly { grant?: NewGrant }[], outcomes: readonly string[]) => ({
      outcomes,
      scopes: await grants.consentedScopes(ada, acme),
      live: await Promise.all(prepared.map(({ grant }) => grant && isLive(grants, grant))),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 30 }), async (acts) => {
        for (const grants of [merged, plain]) await grants.withdrawConsent(ada, acme, nowMs)
        const [onMerged, onPlain] = [await prepare(acts, () => merged), await prepare(acts, () => plain)]
        const atOnce = await Promise.all(onMerged.map(({ perform }) => perform()))
        const inOrder: string[] = []
        for (const { perform } of onPlain) inOrder.push(await perform())
        assert.deepEqual(await after(merged, onMerged, atOnce), await after(plain, onPlain, inOrder))
      }),
      { numRuns: 60 * budget, seed: 20_261_122 },
    )
  })
})
