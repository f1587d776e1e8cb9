import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { acme, ada, aGrant, aStoredCode, aStoredRefreshToken, minutes, next, nowMs, withAdaAndAcme } from './scene.ts'

onEachDatabase('GrantStore', withAdaAndAcme, (open) => {
  test('allotNumber never returns a number twice, not even that of a pruned token family after a restart', async (t) => {
    const { grants, again } = await open(t)
    const numbers = await atOnce(100, () => grants.allotNumber('family'))
    assert.equal(new Set(numbers).size, 100)
    const code = await aStoredCode(grants)
    assert.equal(await grants.prune(nowMs + 30 * minutes, 100), 1)
    assert.ok((await again().grants.allotNumber('family')) > code.row)
  })

  test('exactly one of fifty simultaneous redemptions of the same code succeeds', async (t) => {
    const { grants } = await open(t)
    const code = await aStoredCode(grants)
    const outcomes = await atOnce(50, async () => grants.redeemCode(code, await next(grants), nowMs))
    assert.deepEqual(tally(outcomes), { redeemed: 1, 'code-replayed': 49 })
  })

  test('a rotation that races a revocation leaves no valid token', async (t) => {
    const { grants } = await open(t)
    for (let round = 0; round < 20; round += 1) {
      const { token } = await aStoredRefreshToken(grants)
      const successor = await next(grants)
      const [outcome] = await Promise.all([
        grants.rotateRefreshToken(token, successor, nowMs),
        grants.revokeFamily(token.row, 'revoke-request', nowMs),
      ])
      if (outcome.kind !== 'rotated') continue
      assert.equal((await grants.findAccessToken(successor.accessNumber))?.ended, true)
      const again = { ...token, generation: token.generation + 1, digest: successor.refreshDigest }
      assert.equal((await grants.rotateRefreshToken(again, await next(grants), nowMs)).kind, 'refresh-token-revoked')
    }
  })

  test('only the call that revokes a family returns the user and application', async (t) => {
    const { grants } = await open(t)
    const ended = { userId: ada, applicationId: acme }
    const one = await aStoredRefreshToken(grants)
    const revokeOne = () => grants.revokeFamily(one.token.row, 'refresh-reuse', nowMs)
    const results = await atOnce(50, revokeOne)
    const done = results.filter((outcome) => outcome !== undefined)
    assert.deepEqual(done, [ended])
    assert.equal(await grants.revokeByRefreshToken(one.token, acme, nowMs), undefined)
  })

  test('pruning deletes expired codes and tokens in bounded batches and keeps the rest', async (t) => {
    const { grants } = await open(t)
    const live = await aStoredRefreshToken(grants)
    for (let round = 0; round < 5; round += 1) await aStoredCode(grants)
    assert.equal(await grants.prune(nowMs, 100), 0)
    const laterMs = nowMs + 20 * minutes
    assert.equal(await grants.prune(laterMs, 2), 3, 'one access token, and two of five codes')
    assert.equal(await grants.prune(laterMs, 100), 3)
    assert.equal(await grants.findAccessToken(live.accessNumber), undefined)
    assert.equal((await grants.rotateRefreshToken(live.token, await next(grants), laterMs)).kind, 'rotated')
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
