import assert from 'node:assert/strict'
import type fc from 'fast-check'
import {
  type Browser,
  type Client,
  consentUrl,
  redeem,
  refresh,
  revoke,
  signedIn,
  testOrigin,
  userinfo,
} from '../support/people.ts'
import type { World } from '../support/world.ts'

/**
 * A model of the token life cycle in the specification. Random commands run against both the model and the real server.
 *
 * Commands issue, redeem, refresh, reuse and revoke tokens, let them expire, withdraw consent and rotate secrets. In
 * any order, model and server must agree on every response and on which access tokens are valid.
 */
interface Family {
  client: number
  offline: boolean
  code: string
  codeExpiresAtMs: number
  redeemed: boolean
  /** Every refresh token issued, in plaintext, oldest first. Only the last is valid. */
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

interface Model {
  nowMs: number
  families: Family[]
  accessTokens: AccessToken[]
  /** Indexes of the clients that the user has consented to since the last withdrawal. */
  consented: Set<number>
}

interface Real {
  world: World
  browser: Browser
  clients: Client[]
}

type Command = fc.AsyncCommand<Model, Real>

export const minutes = 60_000
export const days = 24 * 60 * minutes
const applicationIds = ['acme', 'other'] as const

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T
}

function remember(model: Model, family: Family, answer: { access_token: string; refresh_token?: string }): void {
  model.accessTokens.push({
    text: answer.access_token,
    family,
    expiresAtMs: model.nowMs + 15 * minutes,
    revoked: false,
  })
  assert.equal(answer.refresh_token !== undefined, family.offline)
  if (answer.refresh_token === undefined) return
  family.refreshTokens.push(answer.refresh_token)
  family.refreshExpiresAtMs = model.nowMs + 30 * days
}

/** Returns a command whose name and arguments are shown when a run fails. */
function command(shown: string, run: Command['run'], check: Command['check'] = () => true): Command {
  return { check, run, toString: () => shown }
}

const hasRefreshTokens = ({ families }: Readonly<Model>) =>
  families.some(({ refreshTokens }) => refreshTokens.length > 0)

function familyWithTokens({ families }: Model, index: number): Family {
  return pick(
    families.filter(({ refreshTokens }) => refreshTokens.length > 0),
    index,
  )
}

export function authorize(client: number, offline: boolean): Command {
  return command(`authorize(client ${client}, offline ${offline})`, async (model, real) => {
    const { world, clients } = real
    const scope = offline ? 'user.identify offline_access' : 'user.identify'
    const url = consentUrl(world, pick(clients, client), { scope })
    let answer = await real.browser.get(url)
    if (answer.location?.pathname === '/sign-in') {
      // The session has expired, because the simulated time spans days.
      real.browser = await signedIn(world)
      answer = await real.browser.get(url)
    }
    model.consented.add(client % clients.length)
    model.families.push({
      client: client % clients.length,
      offline,
      code: answer.location?.searchParams.get('code') ?? `no code: ${answer.location}`,
      codeExpiresAtMs: model.nowMs + 5 * minutes,
      redeemed: false,
      refreshTokens: [],
      refreshExpiresAtMs: 0,
      revoked: false,
    })
  })
}

export function redeemCode(of: number, by: number): Command {
  const run: Command['run'] = async (model, { world, clients }) => {
    const family = pick(model.families, of)
    const client = by % clients.length
    const answer = await redeem(world, pick(clients, client), family.code)
    const good = client === family.client && !family.redeemed && !family.revoked && model.nowMs < family.codeExpiresAtMs
    assert.equal(answer.status, good ? 200 : 400)
    if (good) {
      family.redeemed = true
      remember(model, family, answer.json)
      return
    }
    assert.equal(answer.json.error, 'invalid_grant')
    // If the client that owns the code replays it, the family is revoked.
    if (client === family.client && family.redeemed) family.revoked = true
  }
  return command(`redeem(family ${of}, client ${by})`, run, ({ families }) => families.length > 0)
}

export function rotate(of: number, token: number, by: number): Command {
  const run: Command['run'] = async (model, { world, clients }) => {
    const family = familyWithTokens(model, of)
    // The index counts back from the newest token, so that the valid one is picked often.
    const index = family.refreshTokens.length - 1 - (token % family.refreshTokens.length)
    const newest = index === family.refreshTokens.length - 1
    const client = by % clients.length
    const answer = await refresh(world, pick(clients, client), family.refreshTokens[index] as string)
    const good = client === family.client && newest && !family.revoked && model.nowMs < family.refreshExpiresAtMs
    assert.equal(answer.status, good ? 200 : 400)
    if (good) {
      remember(model, family, answer.json)
      return
    }
    assert.equal(answer.json.error, 'invalid_grant')
    if (client === family.client && !newest) family.revoked = true
  }
  return command(`refresh(family ${of}, token ${token}, client ${by})`, run, hasRefreshTokens)
}

export function revokeRefreshToken(of: number, token: number, by: number | undefined): Command {
  const run: Command['run'] = async (model, { world, clients }) => {
    const family = familyWithTokens(model, of)
    await revokeAs(world, clients, by, pick(family.refreshTokens, token))
    if (by === undefined || by % clients.length === family.client) family.revoked = true
  }
  return command(`revokeRefreshToken(family ${of}, token ${token}, client ${by})`, run, hasRefreshTokens)
}

export function revokeAccessToken(index: number, by: number | undefined): Command {
  const run: Command['run'] = async (model, { world, clients }) => {
    const token = pick(model.accessTokens, index)
    await revokeAs(world, clients, by, token.text)
    if (by === undefined || by % clients.length === token.family.client) token.revoked = true
  }
  return command(`revokeAccessToken(${index}, client ${by})`, run, ({ accessTokens }) => accessTokens.length > 0)
}

async function revokeAs(world: World, clients: Client[], client: number | undefined, token: string): Promise<void> {
  const own = client === undefined ? undefined : pick(clients, client)
  const credentials = own === undefined ? {} : { client_id: own.clientId, client_secret: own.clientSecret }
  assert.equal((await revoke(world, { token, ...credentials })).status, 200)
}

export function withdrawConsent(of: number): Command {
  return command(`withdrawConsent(client ${of})`, async (model, real) => {
    const client = of % real.clients.length
    const application = applicationIds[client] as string
    const address = `${real.world.baseUrl}/account/applications`
    let page = await real.browser.get(address)
    if (page.status !== 200) {
      real.browser = await signedIn(real.world)
      page = await real.browser.get(address)
    }
    const listed = page.text.includes(`name="application" value="${application}"`)
    assert.equal(listed, model.consented.has(client), 'it stands among the applications with access while it has some')
    if (!listed) return
    await real.browser.submit(page, { application }, '/account/applications/withdrawal')
    model.consented.delete(client)
    for (const family of model.families) if (family.client === client) family.revoked = true
  })
}

export function rotateSecret(client: number): Command {
  return command(`rotateSecret(client ${client})`, async (_model, { world, clients }) => {
    const index = client % clients.length
    const id = applicationIds[index]
    const rotated = await world.service.applications.secrets.rotate('ada' as never, id as never, testOrigin)
    const old = clients[index] as Client
    clients[index] = { ...old, clientSecret: rotated.clearTextSecret }
    assert.equal((await redeem(world, old, 'svc_ac_any')).status, 401, 'the old secret is dead at once')
  })
}

export function wait(ms: number): Command {
  return command(`wait(${ms / minutes} min)`, async (model, { world }) => {
    model.nowMs += ms
    // Jumps over most of a long wait, because every five minutes of it would be metered for the status pages of bots.
    const advancedMs = Math.min(ms, 15 * minutes)
    world.clock.jump(ms - advancedMs)
    await world.clock.advance(advancedMs)
  })
}

/**
 * Checks that model and server agree on which access tokens are valid. Checking a few per call is enough, since each
 * command issues at most one.
 */
export function lookAtAccessTokens(from: number): Command {
  const run: Command['run'] = async (model, { world }) => {
    for (let at = 0; at < Math.min(5, model.accessTokens.length); at += 1) {
      const token = pick(model.accessTokens, from + at)
      const alive = !token.revoked && !token.family.revoked && model.nowMs < token.expiresAtMs
      assert.equal((await userinfo(world, token.text)).status, alive ? 200 : 401)
    }
  }
  return command(`lookAtAccessTokens(${from})`, run, ({ accessTokens }) => accessTokens.length > 0)
}
