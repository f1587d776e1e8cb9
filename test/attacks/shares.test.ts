import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { parseQuery } from '../../src/domain/authorization/authorization-request.ts'
import { logLevels } from '../../src/domain/bots/runtimes/runtime-logs.ts'
import {
  type ApplicationId,
  type BotId,
  type FlowId,
  parseApplicationId,
  parseBotId,
  parseFlowId,
  parseUserId,
  type UserId,
} from '../../src/domain/ids.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { send } from '../support/bot-people.ts'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { CopyStream } from '../support/copy-stream.ts'
import { EventReceiver } from '../support/event-receiver.ts'
import { makeToken } from '../support/owner-api.ts'
import { aClient, ada, Browser, type Client, consentUrl, provision, redeem, testOrigin } from '../support/people.ts'
import { sharedResources } from '../support/shared-resources.ts'
import { asUpstream, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'

/** One user with a bot, a flow that listens for webhooks, an application, a browser and an address of their own. */
interface Party {
  userId: UserId
  email: string
  botId: BotId
  flowId: FlowId
  client: Client
  applicationId: ApplicationId
  browser: Browser
  headers: Readonly<Record<string, string>>
  address: string
}

interface Scene {
  t: TestContext
  world: World
  /** Uses up a share. */
  mallory: Party
  /** Is still served. */
  bob: Party
}

/** Uses up Mallory's share of the resource. Asserts what then happens to Mallory, and that Bob is still served. */
type Attack = (scene: Scene) => Promise<void>

const { password } = ada
const webhookPath = 'hooks/orders'
const atMostWaiting = 3

async function openScene(t: TestContext): Promise<Scene> {
  const provider = await openStandInProvider(t)
  provider.profile = { sub: 'somebody', name: 'Somebody' }
  const settings = {
    TRUST_PROXY: '1',
    OWNER_FLOWS: 'on',
    EVENTS_ALLOW_PRIVATE: 'true',
    QUEUE_MAX_EVENTS_PER_BOT: String(atMostWaiting),
  }
  const world = await openWorld(t, { ...settings, ...asUpstream(provider, 'Home') })
  const party = async (name: string, address: string): Promise<Party> => {
    const email = `${name}@example.com`
    await provision(world, 'PUT', `/v1/users/${name}`, { name, email, password })
    const headers = { 'x-forwarded-for': address }
    const browser = new Browser({}, headers)
    const page = await browser.get(`${world.baseUrl}/sign-in`)
    assert.equal((await browser.submit(page, { email, password }, '/sign-in')).status, 303)
    const botId = `bot-of-${name}`
    const chatPlatformId = `21521521521521521${name.length}`
    const bot = { ownerId: name, name: botId, chatPlatformId, hostingEnabled: true, publicStatus: true }
    await provision(world, 'PUT', `/v1/bots/${botId}`, bot)
    const webhook = { path: webhookPath, requiresKey: false }
    await provision(world, 'PUT', `/v1/bots/${botId}/flows/orders`, { kind: 'event', name: 'Orders', webhook })
    const applicationId = `app-of-${name}`
    return {
      userId: parseUserId(name)!,
      email,
      botId: parseBotId(botId)!,
      flowId: parseFlowId('orders')!,
      client: await aClient(world, applicationId, { ownerId: name }),
      applicationId: parseApplicationId(applicationId)!,
      browser,
      headers,
      address,
    }
  }
  return { t, world, mallory: await party('mallory', '203.0.113.7'), bob: await party('bob', '198.51.100.7') }
}

/** Makes `times` calls, 16 at a time. */
async function often(times: number, call: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < times) {
      next += 1
      await call(next)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

const by = ({ userId, address }: Party) => ({ userId, origin: { ...testOrigin, address } })
const post = (world: World, { botId, headers }: Party) =>
  fetch(`${world.apiUrl}/${botId}/${webhookPath}`, { method: 'POST', body: '{}', headers })

async function signInWith(world: World, browser: Browser, email: string, guess = password) {
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  return (await browser.submit(page, { email, password: guess }, '/sign-in')).status
}

function requestOf({ world }: Scene, { client }: Party, state = 'short') {
  return world.service.authorization.attempts.readRequest(parseQuery(consentUrl(world, client, { state })))
}

/** Begins one attempt more than a user's share, and asserts that only the first one is gone. */
async function fillAttempts(scene: Scene, state: string, atMost: number): Promise<void> {
  const { world, mallory, bob } = scene
  const { attempts } = world.service.authorization
  const begin = async (party: Party) => {
    const reading = await requestOf(scene, party, state)
    assert.ok(reading.kind === 'valid')
    return attempts.begin(reading.request, { userId: party.userId })
  }
  const theirs = await begin(bob)
  const first = await begin(mallory)
  await world.clock.advance(1)
  await often(atMost, () => begin(mallory))
  assert.equal(await attempts.find(first), undefined)
  const page = await bob.browser.visit(`${world.baseUrl}/auth/consent?attempt=${theirs}`, world)
  assert.equal(page.status, 200, page.text)
}

/** Opens as many streams as one address may, then one more. */
async function fillStreams({ t, world, mallory, bob }: Scene, path: (party: Party) => string, atMost: number) {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const opened: Response[] = []
  const open = async (party: Party) => {
    const headers = { ...party.headers, cookie: party.browser.cookieHeader() }
    const answer = await fetch(world.baseUrl + path(party), { headers, signal: leaving.signal })
    // A response that is garbage-collected closes its connection.
    opened.push(answer)
    return answer.status
  }
  await often(atMost, async () => assert.equal(await open(mallory), 200))
  const refused = await open(mallory)
  assert.equal(await open(bob), 200)
  return refused
}

async function ownRuntime({ world }: Scene, party: Party) {
  return (await world.service.bots.runtimes.make({ name: 'own', botIds: null }, by(party))).clearTextKey
}

/** A test that fills a share with smaller limits than a whole service has, because filling a real one takes a minute. */
interface Elsewhere {
  file: string
  title: string
}

const retention = {
  file: '../contract/delivery-queue-retention.test.ts',
  title: 'another bot keeps all of its few',
}

const arriving = { file: 'arriving-bodies.test.ts', title: 'take its share; other' }

const attacks: Record<keyof typeof sharedResources, Attack | Elsewhere> = {
  attempts: (scene) => fillAttempts(scene, 'short', limits.attemptsPerUser.short),

  longAttempts: (scene) => fillAttempts(scene, 'x'.repeat(4_000), limits.attemptsPerUser.long),

  async challenges({ world, mallory, bob }) {
    const { passkeys } = world.service
    await often(limits.passkeyChallengesPerAddress + 100, (at) =>
      passkeys.beginSignIn(`browser ${at}`, mallory.address),
    )
    const page = await bob.browser.get(`${world.baseUrl}/account/name`)
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const body = new URLSearchParams({ form_token })
    assert.equal((await bob.browser.post(`${world.baseUrl}/sign-in/passkey/challenge`, body)).status, 200)
  },

  async providerVisits({ world, mallory, bob }) {
    const { linkedAccounts } = world.service
    const begin = (key: string, { address }: Party) =>
      linkedAccounts.beginSignIn('upstream', {
        linking: undefined,
        onward: undefined,
        clearTextBrowserKey: key,
        address,
      })
    const finish = async (key: string, to: string, { address }: Party) => {
      const query = (await fetch(to, { redirect: 'manual' })).headers.get('location')?.replace(/^[^?]*\?/, '') ?? ''
      const visit = { providerKey: 'upstream', query, clearTextBrowserKey: key, session: undefined }
      return linkedAccounts.finishSignIn({ ...visit, browser: { ...testOrigin, address } })
    }
    const [key, first] = [linkedAccounts.newBrowserKey(), linkedAccounts.newBrowserKey()]
    const theirs = await begin(key, bob)
    const lost = await begin(first, mallory)
    await world.clock.advance(1)
    await often(limits.providerVisitsPerAddress, () => begin(linkedAccounts.newBrowserKey(), mallory))
    await assert.rejects(finish(first, lost, mallory), { reason: 'visit-unknown' })
    assert.equal((await finish(key, theirs, bob)).kind, 'signed-in')
  },

  async accounts({ world, mallory, bob }) {
    const signUp = async (at: number | string, { headers }: Party) => {
      const browser = new Browser({}, headers)
      const form = { name: 'Eve', email: `eve-${at}@example.com`, password }
      return (await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), form, '/sign-up')).status
    }
    const statuses: number[] = []
    await often(limits.signUpsPerAddress + 8, async (at) => statuses.push(await signUp(at, mallory)))
    const created = statuses.filter((status) => status === 303)
    assert.deepEqual([created.length, statuses.length - created.length], [limits.signUpsPerAddress, 8])
    assert.equal(await signUp('more', mallory), 429)
    assert.equal(await signUp('bob', bob), 303)
  },

  async passwordChecks({ world, mallory, bob }) {
    const from = ({ headers }: Party) => new Browser({}, headers)
    for (let at = 0; at < limits.signInFailuresPerAddress; at += 1) {
      assert.equal(await signInWith(world, from(mallory), `victim-${at}@example.com`, 'a guess at random'), 422)
    }
    assert.equal(await signInWith(world, from(mallory), bob.email), 429)
    assert.equal(await signInWith(world, from(bob), bob.email), 303)
  },

  async secretChecks({ world, mallory, bob }) {
    const guess = async ({ headers, client }: Party, secret: string) => {
      const fields = { grant_type: 'refresh_token', refresh_token: 'svc_rt_none', client_id: client.clientId }
      const body = new URLSearchParams({ ...fields, client_secret: secret })
      return (await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', headers, body })).status
    }
    await often(limits.clientAuthenticationFailuresPerMinute, () => guess(mallory, 'svc_cs_guess'))
    assert.equal(await guess(mallory, 'svc_cs_guess'), 429)
    assert.equal(await guess(bob, 'svc_cs_guess'), 401)
    assert.equal((await redeem(world, bob.client, 'svc_ac_none')).json.error, 'invalid_grant')
  },

  async sessions({ world, mallory, bob }) {
    const { sessions } = world.service.accounts
    await world.clock.advance(1)
    await often(limits.sessionsPerUser, () =>
      sessions.start(mallory.userId, 'identity', { ...testOrigin, address: mallory.address }, 'password'),
    )
    assert.equal((await mallory.browser.get(`${world.baseUrl}/account`)).status, 302)
    assert.equal((await bob.browser.get(`${world.baseUrl}/account`)).status, 200)
  },

  async auditedActs({ world, mallory, bob }) {
    const { audit, clock } = world.service
    const token = await makeToken(mallory.browser, world)
    for (let act = 0; act < limits.auditedActsPerUser.burst; act += 1) {
      audit.shares.count(mallory.userId, mallory.address, clock.nowMs())
    }
    const refused = await rename(world, mallory.browser)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(refused.text, /Too many changes/)
    const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...mallory.headers }
    const init = { method: 'PUT', headers: json, body: '{"enabled":false}' }
    assert.equal((await fetch(`${world.baseUrl}/api/v1/bots/${mallory.botId}/public-status`, init)).status, 429)
    const elsewhere = new Browser({}, bob.headers)
    await signInWith(world, elsewhere, mallory.email)
    for (const browser of [elsewhere, bob.browser]) assert.equal((await rename(world, browser)).status, 303)
  },

  async applications({ world, mallory, bob }) {
    const { owned } = world.service.applications
    const redirectUris = ['https://client.example/callback']
    const form = { name: 'App', websiteUrl: 'https://client.example', redirectUris, environment: 'production' } as const
    const register = (party: Party) => owned.register(party.userId, { ...form, requirePkce: false }, by(party).origin)
    await often(limits.applicationsPerOwner - 1, () => register(mallory))
    await assert.rejects(register(mallory), { reason: 'applications-too-many' })
    await register(bob)
  },

  async failedRequests({ world, mallory }) {
    const { clientId } = mallory.client
    await redeem(world, { ...mallory.client, clientSecret: 'svc_cs_wrong' }, 'svc_ac_none')
    await often(limits.failedRequestsKept + 1, () =>
      fetch(`${world.baseUrl}/auth/consent?client_id=${clientId}&redirect_uri=https://evil.example/`),
    )
    const failures = await world.service.requests.failures(mallory.applicationId)
    const at = (place: string) => failures.filter((failure) => failure.place === place).length
    assert.deepEqual([at('consent'), at('credentials')], [limits.failedRequestsKept, 1])
  },

  async flows({ world, mallory, bob }) {
    const { flows } = world.service.bots
    const add = (party: Party, at: number) =>
      flows.putAsOwner(party.botId, parseFlowId(`flow-${at}`)!, { name: 'Flow' }, by(party))
    await often(limits.flowsPerBot - 1, (at) => add(mallory, at))
    await assert.rejects(add(mallory, 0), { reason: 'flows-too-many' })
    await add(bob, 0)
  },

  async invitations({ world, mallory, bob }) {
    const { invitations } = world.service.bots
    const invite = (party: Party) =>
      invitations.make(party.botId, { label: 'Ed', role: 'viewer', capabilities: [] }, by(party))
    await often(limits.invitationsPerBot, () => invite(mallory))
    await assert.rejects(invite(mallory), { reason: 'invitations-too-many' })
    await invite(bob)
  },

  async collaborators({ world, mallory, bob }) {
    const { records } = world.service.bots
    const add = ({ botId }: Party, at: number | string) => {
      const coworker = { userId: parseUserId(`coworker-${at}`)!, role: 'viewer', capabilities: [] } as const
      return records.putCollaborator(botId, coworker, by(mallory))
    }
    await often(limits.collaboratorsPerBot + 1, async (at) => {
      const record = { name: 'Eve', email: `eve-${at}@example.com` }
      await provision(world, 'PUT', `/v1/users/coworker-${at}`, record)
      if (at > 1) await add(mallory, at)
    })
    await assert.rejects(add(mallory, 1), { reason: 'collaborators-too-many' })
    assert.equal(await add(mallory, 2), 'unchanged')
    const { invitations } = world.service.bots
    const invited = { label: 'Eve', role: 'viewer', capabilities: [] } as const
    const { clearTextToken } = await invitations.make(mallory.botId, invited, by(mallory))
    await invitations.accept(clearTextToken, { ...by(mallory), userId: parseUserId('coworker-1')! })
    const list = `/bots/${mallory.botId}/coworkers`
    const tooMany = /at most 200 collaborators\. Remove one first\./
    const added = await send(mallory.browser, world, list, { who: 'coworker-1', role: 'viewer' })
    assert.match(added.text, tooMany)
    const confirmation = `/bots/${mallory.botId}/invitations/1/confirmation`
    assert.equal((await send(mallory.browser, world, confirmation, { user: 'coworker-1' })).status, 303)
    assert.match((await mallory.browser.get(world.baseUrl + list)).text, tooMany)
    assert.equal((await invitations.list(mallory.botId)).length, 1)
    assert.equal(await add(bob, 1), 'created')
  },

  async runtimes(scene) {
    await often(limits.runtimesPerOwner, () => ownRuntime(scene, scene.mallory))
    await assert.rejects(ownRuntime(scene, scene.mallory), { reason: 'runtimes-too-many' })
    await ownRuntime(scene, scene.bob)
  },

  async personalTokens({ world, mallory, bob }) {
    const make = ({ browser }: Party) => makeToken(browser, world)
    for (let at = 0; at < limits.personalTokensPerUser; at += 1) await make(mallory)
    await assert.rejects(make(mallory), /422/)
    await make(bob)
  },

  async subscriptions({ world, mallory, bob }) {
    const { subscriptions } = world.service.events
    const add = (party: Party) =>
      subscriptions.create(by(party), party.userId, { url: 'https://client.example/', types: ['bot.offline'] })
    await often(limits.subscriptionsPerOwner, () => add(mallory))
    await assert.rejects(add(mallory), { reason: 'too-many' })
    await add(bob)
  },

  async outgoingRequests({ t, world, mallory, bob }) {
    const { subscriptions } = world.service.events
    const receiver = await EventReceiver.open(t)
    const received = (path: string) => receiver.received.filter((event) => event.path === path).length
    receiver.responses.set('/hanging', 'hang')
    const send = async (party: Party, path: string) => {
      const wanted = { url: `${receiver.url}${path}`, types: ['bot.offline'] as const }
      const { subscription } = await subscriptions.create(by(party), party.userId, wanted)
      for (let at = 0; at < atMostWaiting; at += 1) await subscriptions.test(by(party), subscription.id)
    }
    await often(limits.outgoingRequestsPerOwner / atMostWaiting + 1, () => send(mallory, '/hanging'))
    await receiver.on('/hanging', limits.outgoingRequestsPerOwner)
    await send(bob, '/quick')
    await receiver.on('/quick', atMostWaiting)
    assert.equal(received('/hanging'), limits.outgoingRequestsPerOwner)
  },

  async ownerApiRequests({ world, mallory, bob }) {
    const read = async (token: string, { headers }: Party) => {
      const authorization = `Bearer ${token}`
      return (await fetch(`${world.baseUrl}/api/v1/bots`, { headers: { ...headers, authorization } })).status
    }
    const [hers, his] = [await makeToken(mallory.browser, world), await makeToken(bob.browser, world)]
    await often(limits.ownerApiRequestsPerMinute, () => read(hers, mallory))
    assert.deepEqual([await read(hers, mallory), await read(his, bob)], [429, 200])
  },

  async statusRequests({ world, mallory, bob }) {
    const read = async ({ headers }: Party) =>
      (await fetch(`${world.baseUrl}/botstatus/${bob.botId}/api`, { headers })).status
    await often(limits.botStatusRequestsPerMinute, () => read(mallory))
    assert.deepEqual([await read(mallory), await read(bob)], [429, 200])
  },

  async statusStreams(scene) {
    const path = ({ botId }: Party) => `/botstatus/${botId}/events`
    assert.equal(await fillStreams(scene, path, limits.statusStreamsPerAddress), 429)
  },

  async deliveryStreams(scene) {
    const path = ({ botId }: Party) => `/bots/${botId}/deliveries/live`
    assert.equal(await fillStreams(scene, path, limits.deliveryStreamsPerAddress), 503)
  },

  async copyStreams(scene) {
    const { t, world, mallory, bob } = scene
    const open = async ({ botId, headers }: Party, key: string) => {
      const stream = await CopyStream.request(t, world, key, botId, headers)
      return stream instanceof CopyStream ? 200 : stream.status
    }
    const [hers, his] = [await ownRuntime(scene, mallory), await ownRuntime(scene, bob)]
    await often(limits.copyStreamsPerOwner, async () => assert.equal(await open(mallory, hers), 200))
    assert.deepEqual([await open(mallory, hers), await open(bob, his)], [429, 200])
  },

  copyBytes: {
    file: '../spec/owner-api-copies.test.ts',
    title: 'copies have a budget of bytes',
  },

  keptWebhooks: retention,

  deadLetters: retention,

  arrivingBodies: arriving,

  arrivingForms: arriving,

  arrivingPosts: arriving,

  async waitingWebhooks({ world, mallory, bob }) {
    for (let at = 0; at < atMostWaiting; at += 1) assert.equal((await post(world, mallory)).status, 202)
    assert.equal((await post(world, mallory)).status, 503)
    assert.equal((await post(world, bob)).status, 202)
  },

  async refusedWebhooks({ world, mallory, bob }) {
    const refuse = ({ botId }: Party, address: string) =>
      fetch(`${world.apiUrl}/${botId}/hooks/none`, { method: 'POST', headers: { 'x-forwarded-for': address } })
    const kept = async ({ userId, botId }: Party) =>
      (await world.service.refusalLog.list(userId, botId, undefined, 1_000)).length
    await refuse(bob, bob.address)
    await often(2 * limits.refusedWebhooksKept, (at) => refuse(mallory, `192.0.2.${at}`))
    await world.service.refusalLog.flush()
    assert.deepEqual([await kept(mallory), await kept(bob)], [limits.refusedWebhooksKept, 1])
  },

  async runtimeLogs({ world, mallory, bob }) {
    const { logs } = world.service.bots
    const write = ({ botId }: Party, entries: number) => {
      const entry = { level: 'info', message: 'lit', atMs: world.clock.nowMs() } as const
      return logs.write(
        botId,
        Array.from({ length: entries }, () => entry),
      )
    }
    const kept = async ({ botId }: Party) => (await logs.page(botId, { levels: logLevels, most: 5_000 })).length
    await write(bob, 1)
    await write(mallory, limits.logEntriesKeptPerBot)
    await write(mallory, 10)
    assert.deepEqual([await kept(mallory), await kept(bob)], [limits.logEntriesKeptPerBot, 1])
  },

  async runtimeSessions(scene) {
    const { t, world, mallory, bob } = scene
    const key = await ownRuntime(scene, mallory)
    await often(limits.runtimeSessionsPerOwner, async () => {
      await new BotRuntime(t, world, { key }).next('hello')
    })
    assert.equal((await new BotRuntime(t, world, { key }).closed).code, 1013)
    await BotRuntime.ready(t, world, await ownRuntime(scene, bob))
  },

  async runtimeBytes(scene) {
    const { t, world, mallory, bob } = scene
    const { runtime } = await BotRuntime.ready(t, world, await ownRuntime(scene, mallory))
    const { runtime: other } = await BotRuntime.ready(t, world, (await makeRuntime(world, [bob.botId])).key)
    const padding = 'x'.repeat(1_900_000)
    for (let at = 0; at < 8; at += 1) runtime.send({ type: 'later', padding })
    await other.heartbeat()
    assert.equal((await post(world, bob)).status, 202)
    const { delivery } = await other.nextOfType('dispatch')
    other.send({ type: 'ack', deliveries: [delivery] })
  },
}

async function rename(world: World, browser: Browser) {
  const page = await browser.get(`${world.baseUrl}/account/name`)
  return browser.submit(page, { name: 'Another name' }, '/account/name')
}

describe('A party that uses up its share of a resource takes nothing from others', () => {
  for (const [key, { name }] of Object.entries(sharedResources)) {
    test(`our choice: another party is served when one has used up its share of ${name}`, async (t) => {
      const attack = attacks[key as keyof typeof sharedResources]
      if (typeof attack === 'function') return attack(await openScene(t))
      const text = readFileSync(join(import.meta.dirname, attack.file), 'utf8')
      assert.ok(text.includes(attack.title), `${attack.file} has no such test`)
    })
  }
})
