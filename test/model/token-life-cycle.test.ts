import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Client } from '../../src/domain/applications/clients.ts'
import { AuthorizationRefusal } from '../../src/domain/authorization/refusal.ts'
import { parseApplicationId, parseUserId, Secrets } from '../../src/domain/ids-and-secrets.ts'
import { budget } from '../support/budget.ts'
import { aClient, ada, adaWithClient, redirectUri, testOrigin } from '../support/people.ts'
import { keys, openWorld, type Storage, storages } from '../support/world.ts'

const minutes = 60_000
const days = 24 * 60 * minutes
const userId = parseUserId(ada.id)!
/** Makes secrets with the right number that the service has never issued. */
const forger = new Secrets(keys.secretKey)

/** What the specification says about one authorization. */
interface Family {
  client: 0 | 1
  code: string
  codeExpiresAtMs: number
  scopes: readonly string[]
  redeemed: boolean
  revoked: boolean
  /** Every refresh token issued, oldest first. Only the last is valid. */
  refreshTokens: string[]
  refreshExpiresAtMs: number
  /** Every access token issued, oldest first. */
  accessTokens: { token: string; scopes: readonly string[]; expiresAtMs: number; revoked: boolean }[]
}

/** True, except about once in `times + 1`. */
const mostly = (times: number) => fc.nat(times).map((at) => at > 0)

/** A request about one family. Some of its details may be wrong. */
const ask = fc.record({
  kind: fc.constantFrom(
    ...(['redeem', 'refresh', 'refresh', 'refresh', 'refresh'] as const),
    ...(['revoke refresh token', 'revoke access token', 'revoke access token'] as const),
  ),
  /** Whether the family's own client asks, rather than the other one. */
  own: mostly(4),
  /** Whether the service issued the code or refresh token. Otherwise, only the number in it is right. */
  issued: mostly(6),
  redirectUriIsRight: mostly(3),
  /** Number of refresh tokens issued since this one. -1 is one that has not been issued. */
  ago: fc.constantFrom(...Array<number>(12).fill(0), 1, 2, -1),
  scope: fc.constantFrom(undefined, undefined, undefined, 'user.identify', 'bots.read'),
  /** Whether a revocation carries the client's credentials. */
  authenticated: mostly(2),
})
type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never
const redemption: Ask = {
  ...({ kind: 'redeem', own: true, issued: true, redirectUriIsRight: true } as const),
  ...({ ago: 0, scope: undefined, authenticated: true } as const),
}

const families = 4
/** What happens at the same time: at most one request per family, so that their order doesn't matter. */
const tick = fc.record({
  laterMs: fc.oneof(fc.nat(20_000), fc.constantFrom(minutes, 5 * minutes, 15 * minutes, days, 29 * days)),
  /** The client whose access the user withdraws before that. */
  withdrawn: fc.constantFrom(...Array<null>(30).fill(null), 0, 1),
  asks: fc.tuple(...Array.from({ length: families }, () => fc.option(ask, { freq: 3 }))),
})

/** Returns what the request yields or why it is refused. */
async function outcomeOf<T>(request: Promise<T>): Promise<T | string> {
  return request.catch((error) => {
    assert.ok(error instanceof AuthorizationRefusal, error)
    return error.reason
  })
}

async function openScene(t: TestContext, storage: Storage) {
  const world = await openWorld(t, {}, { storage })
  await adaWithClient(world)
  await aClient(world, 'other')
  const { applications, authorization } = world.service
  const { consents, tokens, liveTokens } = authorization
  const clients = await Promise.all(
    ['acme', 'other'].map(async (id) => (await applications.clients.findById(parseApplicationId(id)!))!),
  )

  async function authorize(client: 0 | 1, offline: boolean): Promise<Family> {
    const scopes = ['user.identify', ...(offline ? ['offline_access'] : [])]
    const nothing = { encodedState: undefined, codeChallenge: undefined, skipConsent: false, tryOut: false }
    const request = { application: clients[client]!, redirectUri, scopes, ...nothing }
    const location = await consents.allow(request, { userId, number: 7, browser: testOrigin })
    const code = new URL(location).searchParams.get('code') ?? assert.fail(location)
    const codeExpiresAtMs = world.clock.nowMs() + 5 * minutes
    const unused = { redeemed: false, revoked: false, refreshTokens: [], refreshExpiresAtMs: 0, accessTokens: [] }
    return { client, code, codeExpiresAtMs, scopes, ...unused }
  }

  function redeemed(family: Family, { own, issued, redirectUriIsRight }: Ask): string | undefined {
    if (!issued) return 'code-unknown'
    if (!own) return 'code-of-another-client'
    if (family.redeemed) {
      family.revoked = true
      return 'code-replayed'
    }
    if (family.revoked) return 'code-revoked'
    if (world.clock.nowMs() >= family.codeExpiresAtMs) return 'code-expired'
    if (!redirectUriIsRight) return 'redirect-uri-differs'
    family.redeemed = true
    return undefined
  }

  /** @param ago 0 for the newest token, `undefined` for one that was never issued. */
  function refreshed(family: Family, { own, scope }: Ask, ago: number | undefined): string | undefined {
    if (ago === undefined) return 'refresh-token-unknown'
    if (!own) return 'refresh-token-of-another-client'
    if (ago > 0) {
      family.revoked = true
      return 'refresh-token-reused'
    }
    if (family.revoked) return 'refresh-token-revoked'
    if (world.clock.nowMs() >= family.refreshExpiresAtMs) return 'refresh-token-expired'
    return scope === undefined || family.scopes.includes(scope) ? undefined : 'scope-exceeds-grant'
  }

  /** Makes the request, asserts its outcome, and keeps the tokens that it yields. */
  async function perform(family: Family, asked: Ask): Promise<void> {
    const nowMs = world.clock.nowMs()
    const client = clients[asked.own ? family.client : 1 - family.client] as Client
    const { row } = forger.readNumbered('authorizationCode', family.code)!
    const made = (kind: 'authorizationCode' | 'refreshToken', generation: number) =>
      forger.makeNumbered(kind, { row, generation }).clearText
    const generation = Math.max(1, family.refreshTokens.length - asked.ago)
    const issued = family.refreshTokens[generation - 1]
    const ago = family.refreshTokens.length - generation
    // The service keeps only the digest of the newest one. Others are recognized by their number.
    const isUnknown = issued === undefined || (!asked.issued && ago === 0)
    const clearTextRefreshToken = isUnknown || !asked.issued ? made('refreshToken', generation) : issued

    const assertIssued = (
      outcome: string | Awaited<ReturnType<typeof tokens.refresh>>,
      refused: string | undefined,
    ) => {
      if (typeof outcome === 'string' || refused !== undefined) return assert.equal(outcome, refused)
      const scopes = asked.kind === 'refresh' && asked.scope !== undefined ? [asked.scope] : family.scopes
      assert.deepEqual(outcome.scopes, scopes)
      const expiresAtMs = nowMs + 15 * minutes
      family.accessTokens.push({ token: outcome.accessToken, scopes, expiresAtMs, revoked: false })
      assert.equal(outcome.refreshToken !== undefined, family.scopes.includes('offline_access'))
      if (outcome.refreshToken === undefined) return
      family.refreshTokens.push(outcome.refreshToken)
      family.refreshExpiresAtMs = nowMs + 30 * days
    }
    const revoke = async (token: string, isKnown: boolean) => {
      await tokens.revoke(token, asked.authenticated ? client : undefined, testOrigin)
      return isKnown && (!asked.authenticated || asked.own)
    }

    switch (asked.kind) {
      case 'redeem': {
        const refused = redeemed(family, asked)
        const clearTextCode = asked.issued ? family.code : made('authorizationCode', 0)
        const to = asked.redirectUriIsRight ? redirectUri : `${redirectUri}/other`
        const request = { client, clearTextCode, redirectUri: to, clearTextVerifier: undefined, origin: testOrigin }
        return assertIssued(await outcomeOf(tokens.redeemCode(request)), refused)
      }
      case 'refresh': {
        const refused = refreshed(family, asked, isUnknown ? undefined : ago)
        const request = { client, clearTextRefreshToken, scope: asked.scope, origin: testOrigin }
        return assertIssued(await outcomeOf(tokens.refresh(request)), refused)
      }
      case 'revoke refresh token':
        if (await revoke(clearTextRefreshToken, !isUnknown)) family.revoked = true
        return
      case 'revoke access token': {
        const access = family.accessTokens.at(-1)
        if (access && (await revoke(access.token, true))) access.revoked = true
      }
    }
  }

  /** Asserts that the service accepts the newest refresh token and every access token exactly if they are valid. */
  async function assertValidity({ client, accessTokens, revoked, ...family }: Family): Promise<void> {
    const nowMs = world.clock.nowMs()
    const bearer = { userId, applicationId: clients[client]!.id }
    const newest = family.refreshTokens.at(-1)
    if (newest !== undefined) {
      const described = await liveTokens.describe(newest, undefined)
      const isOver = revoked || nowMs >= family.refreshExpiresAtMs
      assert.equal(described?.expiresAtMs, isOver ? undefined : family.refreshExpiresAtMs)
    }
    for (const { token, scopes, expiresAtMs, revoked: endedAlone } of accessTokens) {
      const outcome = await outcomeOf(liveTokens.authenticate(token))
      if (revoked || endedAlone) assert.equal(outcome, 'access-token-revoked')
      else if (nowMs >= expiresAtMs) assert.equal(outcome, 'access-token-expired')
      else assert.partialDeepStrictEqual(outcome, { ...bearer, scopes, expiresAtMs })
    }
  }

  return { world, clients, consents, tokens, authorize, perform, assertValidity, refreshed }
}

// In any order of requests, the model and the service must agree on every outcome and on which tokens are valid.
for (const storage of storages) {
  test(`${storage}: the server agrees with the token life cycle of the specification, whatever the order of requests, and however many families change at once`, async (t) => {
    const scene = await openScene(t, storage)
    const { world, clients, consents, tokens } = scene
    await fc.assert(
      fc.asyncProperty(fc.array(tick, { minLength: 1, maxLength: 12, size: 'max' }), async (ticks) => {
        // Refills the user's budget of audited changes.
        world.clock.jump(days)
        const all = await Promise.all(([0, 0, 0, 1] as const).map((client, at) => scene.authorize(client, at !== 2)))
        // Redeems all codes but one first, since otherwise most requests would be refused.
        await Promise.all(all.slice(1).map((family) => scene.perform(family, redemption)))
        const consented = new Set<number>([0, 1])
        for (const { laterMs, withdrawn, asks } of ticks) {
          world.clock.jump(laterMs)
          if (withdrawn !== null) {
            const outcome = await consents.withdraw(userId, clients[withdrawn]!.id, testOrigin)
            assert.equal(outcome, consented.delete(withdrawn) ? 'withdrawn' : 'not-given')
            for (const family of all) family.revoked ||= family.client === withdrawn
          }
          await Promise.all(asks.map((asked, at) => asked && scene.perform(all[at] as Family, asked)))
          await Promise.all(all.map(scene.assertValidity))
        }
        // One of several simultaneous exchanges of a refresh token succeeds. The others count as reuse.
        for (const family of all) {
          const clearTextRefreshToken = family.refreshTokens.at(-1)
          if (clearTextRefreshToken === undefined) continue
          const client = clients[family.client] as Client
          const refused = scene.refreshed(family, redemption, 0)
          const exchanges = [undefined, undefined, 'user.identify', undefined].map((scope) =>
            outcomeOf(tokens.refresh({ client, clearTextRefreshToken, scope, origin: testOrigin })),
          )
          const kinds = (await Promise.all(exchanges)).map((outcome) => (typeof outcome === 'string' ? outcome : ''))
          const reused = ['', ...Array(3).fill('refresh-token-reused')]
          assert.deepEqual(kinds.sort(), refused === undefined ? reused : Array(4).fill(refused))
        }
      }),
      { seed: 20_260_105, numRuns: (storage === 'sqlite' ? 60 : 25) * budget, endOnFailure: true },
    )
  })
}
