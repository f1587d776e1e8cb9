import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { acme, aGrant, next, nowMs } from '../contract/grant-scene.ts'
import { openIdentityNodes } from '../support/adapters/identity-nodes.ts'

test('postgres: expired tokens are deleted even if another node has many live tokens with lower numbers', async (t) => {
  const { nodes } = await openIdentityNodes(t, 2)
  const [{ grants: quiet }, { grants: busy }] = nodes as [IdentityStores, IdentityStores]
  const low = await quiet.allotNumber('access-token')
  const expired = await issueToken(busy, nowMs)
  assert.ok(expired > low)
  const laterMs = nowMs + 2_000 * limits.accessTokenLifetimeSeconds
  const live = await Promise.all(Array.from({ length: 20 }, () => issueToken(quiet, laterMs)))
  assert.ok(live.every((number) => number < expired))
  assert.equal(await busy.prune(laterMs, 10), 1)
  assert.equal(await busy.findAccessToken(expired), undefined)
  for (const number of live) assert.ok(await busy.findAccessToken(number))
})

/** Issues and redeems a code. Returns the number under which the access token is stored. */
async function issueToken(grants: IdentityStores['grants'], atMs: number): Promise<number> {
  const grant = { ...(await aGrant(grants, ['user.identify'])), codeExpiresAtMs: atMs + 60_000 }
  await grants.issueCode(grant, atMs)
  const { number: row, codeDigest: digest, redirectUri } = grant
  const code = { row, generation: 0, digest, applicationId: acme, redirectUri, clearTextVerifier: undefined }
  const tokens = await next(grants)
  assert.equal((await grants.redeemCode(code, tokens, atMs)).kind, 'redeemed')
  return tokens.accessNumber
}
