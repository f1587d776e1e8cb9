import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  isOfFamily,
  judgeRedemption,
  judgeRotation,
  type PresentedRefreshToken,
  type TokenFamily,
} from '../../src/domain/authorization/token-family.ts'
import type { ApplicationId, SecretDigest } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { acme, ada, aNewDigest, digest, next, withAdaAndAcme } from '../contract/scene.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'
import { budget } from '../support/budget.ts'

const seed = 20_260_728
const other = 'other' as ApplicationId
const redirectUri = 'https://client.example/callback'
const families = 4
const day = 24 * 3_600_000

/** A request that concerns one token family. Some of its details may be wrong. */
const ask = fc.record({
  kind: fc.constantFrom('redeem', 'rotate', 'rotate', 'rotate', 'revoke family', 'revoke by token', 'revoke access'),
  client: fc.constantFrom(acme, acme, acme, other),
  digestIsRight: fc.constantFrom(true, true, true, false),
  redirectUriIsRight: fc.constantFrom(true, true, false),
  /** Number of rotations since the refresh token was issued. -1 means a token that has not been issued. */
  ago: fc.constantFrom(0, 0, 0, 0, 1, 2, -1),
  scopes: fc.constantFrom<readonly string[] | undefined>(
    undefined,
    undefined,
    undefined,
    ['user.identify'],
    ['bots.read'],
  ),
  from: fc.constantFrom('here', 'there'),
})
const redemption = {
  kind: 'redeem' as const,
  client: acme,
  digestIsRight: true,
  redirectUriIsRight: true,
  ago: 0 as const,
  scopes: undefined,
  from: 'here' as const,
}
type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never

/** The requests of one tick, at most one per family. Within a tick, their order therefore doesn't matter. */
const tick = fc.record({
  laterMs: fc.oneof(fc.nat(20_000), fc.nat(60_000), fc.constant(29 * day), fc.constant(day)),
  asks: fc.tuple(...Array.from({ length: families }, () => fc.option(ask, { nil: undefined, freq: 3 }))),
})

interface Model {
  family: TokenFamily
  refreshDigests: SecretDigest[]
  access:
    | { number: number; digest: SecretDigest; scopes: readonly string[]; expiresAtMs: number; revoked: boolean }
    | undefined
}

for (const { name: engine, open } of identityEngines) {
  test(`${engine}: batched token requests have the same outcomes as requests handled one by one`, async (t) => {
    const { grants } = await withAdaAndAcme(await open(t))

    async function aFamily(nowMs: number): Promise<Model> {
      const codeDigest = aNewDigest()
      const grant = {
        number: await grants.allotNumber('family'),
        applicationId: acme,
        userId: ada,
        accountSession: 7,
        scopes: ['user.identify', 'offline_access'],
        redirectUri,
        codeChallenge: null,
        codeDigest,
        codeExpiresAtMs: nowMs + 300_000,
      }
      assert.equal(await grants.issueCode({ ...grant, consent: 'given' }, nowMs), 'issued')
      const { number, applicationId, userId, accountSession, scopes, codeExpiresAtMs } = grant
      const unused = { redeemedAtMs: null, refreshDigest: null, refreshExpiresAtMs: null, revokedAtMs: null }
      const family: TokenFamily = {
        ...{ number, applicationId, userId, accountSession, scopes, redirectUri, codeChallenge: null, codeDigest },
        ...{ ...unused, codeExpiresAtMs, refreshGeneration: 0, rotatedAtMs: null, rotatedFrom: null },
      }
      return { family, refreshDigests: [], access: undefined }
    }

    /**
     * Applies the request to the model. Returns a function that sends it to the store and resolves with the actual and
     * the expected outcome.
     */
    async function put(model: Model, asked: Ask, nowMs: number): Promise<() => Promise<[unknown, unknown]>> {
      const { family } = model
      const tokens = await next(grants)
      const refreshExpiresAtMs = nowMs + limits.refreshTokenLifetimeSeconds * 1_000
      const keep = (scopes: readonly string[]) => {
        model.refreshDigests.push(tokens.refreshDigest)
        const expiresAtMs = nowMs + limits.accessTokenLifetimeSeconds * 1_000
        model.access = { number: tokens.accessNumber, digest: tokens.accessDigest, scopes, expiresAtMs, revoked: false }
      }
      const generation = Math.max(1, family.refreshGeneration - asked.ago)
      const token: PresentedRefreshToken = {
        row: family.number,
        generation,
        digest: (asked.digestIsRight ? model.refreshDigests[generation - 1] : undefined) ?? aNewDigest(),
        applicationId: asked.client,
        scopes: asked.scopes,
        from: digest(asked.from),
      }
      const ended = { userId: ada, applicationId: acme }
      switch (asked.kind) {
        case 'redeem': {
          const code = {
            row: family.number,
            generation: 0,
            digest: asked.digestIsRight ? (family.codeDigest as SecretDigest) : aNewDigest(),
            applicationId: asked.client,
            redirectUri: asked.redirectUriIsRight ? redirectUri : `${redirectUri}/other`,
            clearTextVerifier: undefined,
          }
          const expected = judgeRedemption({ ...family }, code, nowMs)
          if (expected.kind === 'redeemed') {
            const issued = { refreshGeneration: 1, refreshDigest: tokens.refreshDigest, refreshExpiresAtMs }
            model.family = { ...family, redeemedAtMs: nowMs, ...issued }
            keep(expected.scopes)
          }
          return async () => [await grants.redeemCode(code, tokens, nowMs), expected]
        }
        case 'rotate': {
          const expected = judgeRotation({ ...family }, token, nowMs)
          if (expected.kind === 'rotated') {
            const issued = {
              refreshGeneration: token.generation + 1,
              refreshDigest: tokens.refreshDigest,
              refreshExpiresAtMs,
            }
            model.family = { ...family, ...issued, rotatedAtMs: nowMs, rotatedFrom: token.from }
            keep(expected.scopes)
          }
          return async () => [await grants.rotateRefreshToken(token, tokens, nowMs), expected]
        }
        case 'revoke access': {
          const { access } = model
          const presented = {
            row: access?.number ?? tokens.accessNumber,
            generation: 0,
            digest: access?.digest ?? aNewDigest(),
          }
          const ends = access !== undefined && !access.revoked && asked.client === acme
          if (ends) access.revoked = true
          return async () => [await grants.revokeAccessToken(presented, asked.client, nowMs), ends ? ended : undefined]
        }
        default: {
          const byToken = asked.kind === 'revoke by token'
          const may = !byToken || (isOfFamily(family, token) && asked.client === acme)
          const expected = may && family.revokedAtMs === null ? ended : undefined
          if (expected !== undefined) model.family = { ...family, revokedAtMs: nowMs }
          return async () => [
            byToken
              ? await grants.revokeByRefreshToken(token, asked.client, nowMs)
              : await grants.revokeFamily(family.number, 'refresh-reuse', nowMs),
            expected,
          ]
        }
      }
    }

    await fc.assert(
      fc.asyncProperty(fc.array(tick, { minLength: 1, maxLength: 12, size: 'max' }), async (ticks) => {
        let nowMs = 1_000_000_000_000
        const models = await Promise.all(Array.from({ length: families }, () => aFamily(nowMs)))
        // Redeems all families but one first, since otherwise most requests would be refused.
        for (const model of models.slice(1)) await (await put(model, redemption, nowMs))()
        for (const { laterMs, asks } of ticks) {
          nowMs += laterMs
          const puts = await Promise.all(
            asks.flatMap((asked, at) => (asked ? [put(models[at] as Model, asked, nowMs)] : [])),
          )
          for (const [outcome, expected] of await Promise.all(puts.map((ask) => ask())))
            assert.deepEqual(outcome, expected)
          for (const { family, access } of models) {
            const stored = await grants.findFamily(family.number)
            assert.deepEqual(plainly(stored), plainly({ ...family, applicationClosed: false }))
            if (access === undefined) continue
            const found = await grants.findAccessToken(access.number)
            assert.equal(found?.ended, access.revoked || family.revokedAtMs !== null)
            if (!access.revoked)
              assert.deepEqual([found?.scopes, found?.expiresAtMs], [access.scopes, access.expiresAtMs])
          }
        }
        // If a refresh token is exchanged several times concurrently, one exchange succeeds and every other one counts
        // as reuse.
        for (const { family, refreshDigests } of models) {
          const newest = refreshDigests.at(-1)
          if (newest === undefined) continue
          const token = {
            row: family.number,
            generation: family.refreshGeneration,
            digest: newest,
            applicationId: acme,
          }
          const from = digest('here')
          const alive = judgeRotation({ ...family }, { ...token, scopes: undefined, from }, nowMs)
          const rotations = [undefined, undefined, ['user.identify'], undefined].map(async (scopes) =>
            grants.rotateRefreshToken({ ...token, scopes, from }, await next(grants), nowMs),
          )
          const kinds = (await Promise.all(rotations)).map(({ kind }) => kind).sort()
          assert.deepEqual(
            kinds,
            alive.kind === 'rotated'
              ? [...Array(3).fill('refresh-token-reused'), 'rotated']
              : Array(4).fill(alive.kind),
          )
        }
      }),
      { seed, numRuns: (engine === 'sqlite' ? 60 : 25) * budget, endOnFailure: true },
    )
  })
}

/** Normalizes a token family for comparison. Ignores `rotatedFrom` until the first rotation gives it a meaning. */
function plainly(family: (TokenFamily & { applicationClosed: boolean }) | undefined) {
  if (family === undefined) return undefined
  const hex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex')
  return {
    ...family,
    codeDigest: hex(family.codeDigest),
    refreshDigest: hex(family.refreshDigest),
    rotatedFrom: family.rotatedAtMs === null ? null : hex(family.rotatedFrom),
  }
}
