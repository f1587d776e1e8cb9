import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewGrant } from '../../src/domain/authorization/grant-store.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'
import { acme, ada, aGrant, aStoredCode, aStoredRefreshToken, next, nowMs } from './grant-scene.ts'

onEachDatabase('GrantStore', withAdaAndAcme, (open) => {
  test('an authorization that relies on standing consent is stored only while that consent covers it', async (t) => {
    const { grants } = await open(t)
    const standing = async (scopes: string[]) =>
      grants.issueCode({ ...(await aGrant(grants, scopes)), consent: 'standing' }, nowMs)
    assert.equal(await standing(['user.identify']), 'consent-gone')
    assert.deepEqual(await grants.consentedScopes(ada, acme), [])
    await aStoredCode(grants, ['user.identify', 'bots.read'])
    assert.equal(await standing(['user.identify']), 'issued')
    assert.equal(await standing(['user.identify', 'flows.read']), 'consent-gone')
  })

  test('implied consent is listed, but no authorization relies on it until the user gives consent', async (t) => {
    const { grants } = await open(t)
    const issue = async (scopes: string[], consent: NewGrant['consent']) =>
      grants.issueCode({ ...(await aGrant(grants, scopes)), consent }, nowMs)
    const listed = async () => (await grants.listConsents(ada)).map(({ scopes }) => scopes)
    assert.equal(await issue(['user.identify', 'bots.read'], 'implied'), 'issued')
    assert.deepEqual(await grants.consentedScopes(ada, acme), [])
    assert.deepEqual(await listed(), [['user.identify', 'bots.read']])
    assert.equal(await issue(['user.identify'], 'standing'), 'consent-gone')
    assert.equal(await issue(['user.identify'], 'given'), 'issued')
    assert.equal(await issue(['flows.read'], 'implied'), 'issued')
    assert.deepEqual(await grants.consentedScopes(ada, acme), ['user.identify'])
    assert.equal(await issue(['user.identify'], 'standing'), 'issued')
    assert.deepEqual(await listed(), [['user.identify', 'bots.read', 'flows.read']])
    assert.equal(await grants.withdrawConsent(ada, acme, nowMs), 'withdrawn')
    assert.deepEqual(await listed(), [])
  })

  test('a withdrawal that races redemption, rotation and a skipped consent leaves no valid token and no consent', async (t) => {
    const { grants } = await open(t)
    for (let round = 0; round < 20; round += 1) {
      const { token } = await aStoredRefreshToken(grants)
      const code = await aStoredCode(grants)
      const [redeemed, rotated] = [await next(grants), await next(grants)]
      const operations = [
        () => grants.redeemCode(code, redeemed, nowMs),
        () => grants.rotateRefreshToken(token, rotated, nowMs),
        () => grants.withdrawConsent(ada, acme, nowMs),
        async () => grants.issueCode({ ...(await aGrant(grants)), consent: 'standing' }, nowMs),
      ]
      // Each round starts with a different operation.
      await Promise.all([...operations.slice(round % 4), ...operations.slice(0, round % 4)].map((work) => work()))
      for (const { accessNumber } of [redeemed, rotated]) {
        assert.notEqual((await grants.findAccessToken(accessNumber))?.ended, false)
      }
      const again = { ...token, generation: token.generation + 1, digest: rotated.refreshDigest }
      assert.notEqual((await grants.rotateRefreshToken(again, await next(grants), nowMs)).kind, 'rotated')
      assert.deepEqual(await grants.consentedScopes(ada, acme), [])
    }
  })
})
