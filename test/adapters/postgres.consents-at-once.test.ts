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

describe('postgres: concurrent writes to the same rows from two nodes', () => {
  test('after concurrent consents, skipped consents and withdrawals, every live authorization is covered by a consent', async (t) => {
    const { nodes } = await openIdentityNodes(t, 2)
    const [{ grants: store }] = nodes as [IdentityStores]
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 12 }), async (acts) => {
        await store.withdrawConsent(ada, acme, nowMs)
        const issued = await Promise.all(
          acts.map(async ({ kind, scopes }, at) => {
            const { grants } = nodes[at % 2]!
            if (kind === 'withdrawn') return void (await grants.withdrawConsent(ada, acme, nowMs))
            const grant = { ...(await aGrant(grants, scopes)), consent: kind }
            return (await grants.issueCode(grant, nowMs)) === 'issued' ? grant : undefined
          }),
        )
        const consented = await store.consentedScopes(ada, acme)
        const given = new Set(acts.flatMap(({ kind, scopes }) => (kind === 'given' ? scopes : [])))
        assert.deepEqual(
          consented.filter((scope) => !given.has(scope)),
          [],
          'only what was given is allowed',
        )
        const live = await Promise.all(
          issued.map(async (grant) =>
            grant && grant.consent !== 'implied' && (await store.findFamily(grant.number))?.revokedAtMs === null
              ? grant.scopes
              : [],
          ),
        )
        assert.deepEqual(
          live.flat().filter((scope) => !consented.includes(scope)),
          [],
          'what lives is allowed',
        )
        if (acts.some(({ kind }) => kind === 'withdrawn')) return
        assert.deepEqual(new Set(consented), given)
        const listed = (await store.listConsents(ada)).flatMap((consent) => consent.scopes)
        const implied = acts.flatMap(({ kind, scopes }) => (kind === 'implied' ? scopes : []))
        assert.deepEqual(new Set(listed), given.union(new Set(implied)), 'implied consent is listed')
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
    const prepared = (grants: IdentityStores['grants'], acts: readonly Act[]) =>
      Promise.all(
        acts.map(async ({ kind, scopes }) => ({
          ...(await aGrant(grants, scopes)),
          consent: kind === 'withdrawn' ? ('given' as const) : kind,
        })),
      )
    const after = async (
      grants: IdentityStores['grants'],
      issued: readonly NewGrant[],
      outcomes: readonly string[],
    ) => ({
      outcomes,
      scopes: await grants.consentedScopes(ada, acme),
      live: await Promise.all(
        issued.map(async ({ number }) => (await grants.findFamily(number))?.revokedAtMs === null),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 30 }), async (acts) => {
        for (const grants of [merged, plain]) await grants.withdrawConsent(ada, acme, nowMs)
        const perform = (grants: IdentityStores['grants'], grant: NewGrant, at: number) =>
          acts[at]!.kind === 'withdrawn' ? grants.withdrawConsent(ada, acme, nowMs) : grants.issueCode(grant, nowMs)
        const [mergedGrants, plainGrants] = [await prepared(merged, acts), await prepared(plain, acts)]
        const atOnce = await Promise.all(mergedGrants.map((grant, at) => perform(merged, grant, at)))
        const inOrder: string[] = []
        for (const [at, grant] of plainGrants.entries()) inOrder.push(await perform(plain, grant, at))
        assert.deepEqual(await after(merged, mergedGrants, atOnce), await after(plain, plainGrants, inOrder))
      }),
      { numRuns: 60 * budget, seed: 20_261_122 },
    )
  })
})
