import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { budget } from '../support/budget.ts'
import {
  aClient,
  adaWithClient,
  type Client,
  consentUrl,
  redeem,
  refresh,
  revoke,
  signedIn,
  testOrigin,
  userinfo,
} from '../support/people.ts'
import { openWorld } from '../support/world.ts'

interface Family {
  client: number
  offline: boolean
  code: string
  codeExpiresAtMs: number
  redeemed: boolean
  /** Every refresh token issued, oldest first. Only the last is valid. */
  refreshTokens: string[]
  refreshExpiresAtMs: number
  revoked: boolean
}

interface AccessToken {
  text: string
  family: Family
  expiresAtMs: number
  revoked: boolean
}

const minutes = 60_000
const days = 24 * 60 * minutes

const event = fc.record({
  kind: fc.constantFrom(
    ...([
      'authorize',
      'redeem',
      'redeem',
      'refresh',
      'refresh',
      'revoke refresh token',
      'revoke access token',
    ] as const),
    ...(['rotate secret', 'withdraw consent', 'wait'] as const),
  ),
  /** Picks one of the families or access tokens so far. */
  at: fc.nat(30),
  /** Picks one of the family's refresh tokens, counted back from the newest. */
  ago: fc.oneof(fc.constant(0), fc.nat(3)),
  client: fc.nat(1),
  /** Whether a revocation carries the client's credentials. */
  authenticated: fc.boolean(),
  offline: fc.boolean(),
  waitMs: fc.constantFrom(minutes, 5 * minutes, 15 * minutes, 29 * days, 30 * days),
})

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % list.length]
}

// A model of the token life cycle in the specification. In any order of events, model and server must agree on every
// response and on which access tokens are valid.
test('the server agrees with the token life cycle of the specification, whatever the order of events', async (t) => {
  const world = await openWorld(t)
  const clients = [
    await adaWithClient(world, { firstParty: true }),
    await aClient(world, 'other', { firstParty: true }),
  ] as [Client, Client]
  let browser = await signedIn(world)
  // All runs share one world, so consent given in one run still applies in the next.
  const consented = new Set<number>()

  /** Opens a page. Signs in again if the session has expired, because the simulated time spans days. */
  async function opened(url: string) {
    const answer = await browser.get(url)
    if (answer.location?.pathname !== '/sign-in') return answer
    browser = await signedIn(world)
    return browser.get(url)
  }

  async function take(chosen: typeof event extends fc.Arbitrary<infer Event> ? Event : never, so: Run): Promise<void> {
    const { kind, at, client, offline, waitMs } = chosen
    const nowMs = world.clock.nowMs()
    const by = clients[client] as Client
    const keep = (family: Family, json: { access_token: string; refresh_token?: string }) => {
      so.accessTokens.push({ text: json.access_token, family, expiresAtMs: nowMs + 15 * minutes, revoked: false })
      assert.equal(json.refresh_token !== undefined, family.offline)
      if (json.refresh_token === undefined) return
      family.refreshTokens.push(json.refresh_token)
      family.refreshExpiresAtMs = nowMs + 30 * days
    }
    const revoked = async (token: string, family: Family) => {
      const credentials = { client_id: by.clientId, client_secret: by.clientSecret }
      const answer = await revoke(world, { token, ...(chosen.authenticated && credentials) })
      assert.equal(answer.status, 200)
      return !chosen.authenticated || client === family.client
    }
    const refreshable = kind === 'refresh' || kind === 'revoke refresh token'
    const family = pick(
      so.families.filter(({ refreshTokens }) => !refreshable || refreshTokens.length > 0),
      at,
    )
    const index = (family?.refreshTokens.length ?? 0) - 1
    const presented = Math.max(0, index - chosen.ago)
    const own = client === family?.client
    switch (kind) {
      case 'authorize': {
        const scope = offline ? 'user.identify offline_access' : 'user.identify'
        const code = (await opened(consentUrl(world, by, { scope }))).location?.searchParams.get('code') ?? ''
        const unused = { redeemed: false, refreshTokens: [], refreshExpiresAtMs: 0, revoked: false }
        so.families.push({ client, offline, code, codeExpiresAtMs: nowMs + 5 * minutes, ...unused })
        consented.add(client)
        return
      }
      case 'redeem': {
        if (family === undefined) return
        const { status, json } = await redeem(world, by, family.code)
        const good = own && !family.redeemed && !family.revoked && nowMs < family.codeExpiresAtMs
        assert.deepEqual([status, json.error], good ? [200, undefined] : [400, 'invalid_grant'])
        // If the client that owns the code replays it, the family is revoked.
        if (own && family.redeemed) family.revoked = true
        if (good) keep(family, json)
        family.redeemed ||= good
        return
      }
      case 'refresh': {
        if (family === undefined) return
        const { status, json } = await refresh(world, by, family.refreshTokens[presented] as string)
        const good = own && presented === index && !family.revoked && nowMs < family.refreshExpiresAtMs
        assert.deepEqual([status, json.error], good ? [200, undefined] : [400, 'invalid_grant'])
        if (own && presented < index) family.revoked = true
        if (good) keep(family, json)
        return
      }
      case 'revoke refresh token':
        if (family && (await revoked(family.refreshTokens[presented] as string, family))) family.revoked = true
        return
      case 'revoke access token': {
        const token = pick(so.accessTokens, at)
        if (token && (await revoked(token.text, token.family))) token.revoked = true
        return
      }
      case 'rotate secret': {
        const id = ['acme', 'other'][client] as never
        const { clearTextSecret } = await world.service.applications.secrets.rotate('ada' as never, id, testOrigin)
        clients[client] = { ...by, clientSecret: clearTextSecret }
        assert.equal((await redeem(world, by, 'svc_ac_any')).status, 401, 'the old secret is dead at once')
        return
      }
      case 'withdraw consent': {
        const application = ['acme', 'other'][client] as string
        const page = await opened(`${world.baseUrl}/account/applications`)
        const listed = page.text.includes(`name="application" value="${application}"`)
        assert.equal(listed, consented.delete(client), 'the list has the applications with access')
        if (!listed) return
        await browser.submit(page, { application }, '/account/applications/withdrawal')
        for (const each of so.families) each.revoked ||= each.client === client
        return
      }
      case 'wait':
        // Jumps over most of a long wait, because every five minutes of it would be metered for the status pages of bots.
        world.clock.jump(Math.max(0, waitMs - 15 * minutes))
        await world.clock.advance(Math.min(waitMs, 15 * minutes))
    }
  }

  interface Run {
    families: Family[]
    accessTokens: AccessToken[]
  }

  await fc.assert(
    fc.asyncProperty(fc.array(event, { size: '+1' }), async (events) => {
      const so: Run = { families: [], accessTokens: [] }
      for (const each of events) {
        await take(each, so)
        for (const token of new Set([pick(so.accessTokens, each.at), so.accessTokens.at(-1)])) {
          if (token === undefined) continue
          const alive = !token.revoked && !token.family.revoked && world.clock.nowMs() < token.expiresAtMs
          assert.equal((await userinfo(world, token.text)).status, alive ? 200 : 401)
        }
      }
    }),
    { numRuns: 15 * budget, seed: 20_260_105 },
  )
})
