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
} from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import {
  aClient,
  ada,
  Browser,
  type Client,
  consentUrl,
  formTokenOf,
  makeToken,
  provision,
  redeem,
  send,
  signIn,
  testOrigin,
} from '../support/people.ts'
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
    QUEUE_MAX_EVENTS_PER_BOT: String(atMostWaiting),
  }
  const world = await openWorld(t, { ...settings, ...asUpstream(provider) })
  const party = async (name: string, address: string): Promise<Party> => {
    const email = `${name}@example.com`
    await provision(world, 'PUT', `/v1/users/${name}`, { name, email, password })
    const headers = { 'x-forwarded-for': address }
    const browser = new Browser({}, headers)
    assert.equal((await signIn(world, { email, password }, browser)).status, 303)
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

const application = {
  name: 'App',
  websiteUrl: 'https://client.example',
  redirectUris: ['https://client.example/callback'],
  environment: 'production',
  requirePkce: false,
} as const
const collaborator = { label: 'Ed', role: 'viewer', capabilities: [] } as const

const by = ({ userId, address }: Party) => ({ userId, origin: { ...testOrigin, address } })
const post = (world: World, { botId, headers }: Party) =>
  fetch(`${world.apiUrl}/${botId}/${webhookPath}`, { method: 'POST', body: '{}', headers })

/** Begins one attempt more than the party's share, and asserts that only its first one is gone. */
async function fillAttempts(scene: Scene, atMost: number, begin: (party: Party) => Promise<string>): Promise<void> {
  const { world, mallory, bob } = scene
  const isKept = async (attempt: string) =>
    (await fetch(`${world.baseUrl}/auth/consent?attempt=${attempt}`, { redirect: 'manual' })).status === 302
  const theirs = await begin(bob)
  const first = await begin(mallory)
  await world.clock.advance(1)
  await often(atMost - 1, () => begin(mallory))
  assert.equal(await isKept(first), true, 'as many as its share are kept')
  const last = await begin(mallory)
  assert.deepEqual([await isKept(first), await isKept(last), await isKept(theirs)], [false, true, true])
}

function fillAttemptsOfUser(scene: Scene, state: string, atMost: number): Promise<void> {
  const { attempts } = scene.world.service.authorization
  return fillAttempts(scene, atMost, async ({ client, userId }) => {
    const reading = await attempts.readRequest(parseQuery(consentUrl(scene.world, client, { state })))
    assert.ok(reading.kind === 'valid')
    return attempts.begin(reading.request, { userId })
  })
}

/** Uses up an address's share without a session. */
function fillAttemptsOfAddress(scene: Scene, state: string, atMost: number): Promise<void> {
  return fillAttempts(scene, atMost, async ({ client, headers }) => {
    const answer = await fetch(consentUrl(scene.world, client, { state }), { headers, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '', scene.world.baseUrl).searchParams.get('attempt') ?? ''
  })
}

/** Adds as many as one party may have, and asserts that one more is refused for this reason, but not another party's. */
function fill(
  atMost: number,
  reason: string,
  add: (scene: Scene, party: Party, at: number) => Promise<unknown>,
): Attack {
  return async (scene) => {
    await often(atMost, (at) => add(scene, scene.mallory, at))
    await assert.rejects(add(scene, scene.mallory, 0), { reason })
    await add(scene, scene.bob, 0)
  }
}

async function ownRuntime({ world }: Scene, party: Party) {
  return (await world.service.bots.runtimes.make({ name: 'own', botIds: null }, by(party))).clearTextKey
}

/** A test in another file that fills a share: with smaller limits, because real ones take a minute, or over HTTP. */
interface Elsewhere {
  file: string
  title: string
}

const retention = { file: '../contract/delivery-queue-retention.test.ts', title: 'another bot keeps all of its few' }

const arriving = { file: 'arriving-bodies.test.ts', title: 'take its share; other' }

/** Something that several parties use up together. A party is a client address (IPv6 by /64), a user, or belongs to one. */
interface SharedResource {
  /** The resource, in the plural. */
  name: string
  /** How much there is for all parties together. `undefined` if only the shares limit it. */
  total?: string
  /** How much one party can have, by kind of party. */
  shares: Readonly<Record<string, string>>
  /** What happens once a party has used up its share. */
  refusal: string
  attack: Attack | Elsewhere
}

const count = (number: number) => number.toLocaleString('en-US')
const size = (bytes: number) => `${count(bytes / 1_048_576)} MiB`
const perWindow = (number: number, windowMs: number) =>
  `${count(number)} ${windowMs === 60_000 ? 'a minute' : windowMs === 3_600_000 ? 'an hour' : `in ${windowMs / 60_000} minutes`}`
const budget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${count(burst)} at once and ${perSecond} a second`
const byteBudget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${size(burst)} at once and ${size(perSecond)} a second`

const oldestDeleted = 'the party’s oldest are deleted'
const oldestDeletedAlsoInTotal = `${oldestDeleted}; beyond the total, those of the party with the most`
const refused = 'more are refused'
const tooManyRequests = '429'
const unavailable = '503'

/**
 * Everything that several parties use up together, and how it is divided, in the order of the table in `docs/security.md`.
 */
const sharedResources: readonly SharedResource[] = [
  {
    name: 'authorization attempts',
    total: count(limits.attemptsMax),
    shares: {
      address: count(limits.attemptsPerAddress.short),
      user: count(limits.attemptsPerUser.short),
      application: count(limits.pushedRequestsPerApplication.short),
    },
    refusal: oldestDeletedAlsoInTotal,
    attack: (scene) => fillAttemptsOfUser(scene, 'short', limits.attemptsPerUser.short),
  },
  {
    name: `authorization attempts whose \`state\` and redirect URI exceed ${limits.attemptShortMaxCharacters} characters`,
    shares: {
      address: count(limits.attemptsPerAddress.long),
      user: count(limits.attemptsPerUser.long),
      application: count(limits.pushedRequestsPerApplication.long),
    },
    refusal: oldestDeleted,
    async attack(scene) {
      const state = 'x'.repeat(4_000)
      await fillAttemptsOfUser(scene, state, limits.attemptsPerUser.long)
      await fillAttemptsOfAddress(scene, state, limits.attemptsPerAddress.long)
    },
  },
  {
    name: 'passkey challenges',
    total: count(limits.passkeyChallengesMax),
    shares: {
      address: count(limits.passkeyChallengesPerAddress),
      user: count(limits.passkeyChallengesPerAddress),
      browser: count(limits.passkeyChallengesPerBrowser),
    },
    refusal: oldestDeletedAlsoInTotal,
    async attack({ world, mallory, bob }) {
      const { passkeys } = world.service
      await often(limits.passkeyChallengesPerAddress + 100, (at) =>
        passkeys.beginSignIn(`browser ${at}`, mallory.address),
      )
      const page = await bob.browser.get(`${world.baseUrl}/account/name`)
      const body = new URLSearchParams({ form_token: formTokenOf(page) })
      assert.equal((await bob.browser.post(`${world.baseUrl}/sign-in/passkey/challenge`, body)).status, 200)
    },
  },
  {
    name: 'visits to sign-in providers',
    total: count(limits.providerVisitsMax),
    shares: { address: count(limits.providerVisitsPerAddress) },
    refusal: oldestDeletedAlsoInTotal,
    async attack({ world, mallory, bob }) {
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
  },
  {
    name: 'new accounts',
    shares: { address: perWindow(limits.signUpsPerAddress, limits.signUpWindowMs) },
    refusal: tooManyRequests,
    async attack({ world, mallory, bob }) {
      const signUp = async (at: number | string, { headers }: Party) => {
        const browser = new Browser({}, headers)
        const form = { name: 'Eve', email: `eve-${at}@example.com`, password }
        return (await browser.submitAt(`${world.baseUrl}/sign-up`, form)).status
      }
      const statuses: number[] = []
      await often(limits.signUpsPerAddress + 8, async (at) => statuses.push(await signUp(at, mallory)))
      const created = statuses.filter((status) => status === 303)
      assert.deepEqual([created.length, statuses.length - created.length], [limits.signUpsPerAddress, 8])
      assert.equal(await signUp('more', mallory), 429)
      assert.equal(await signUp('bob', bob), 303)
      await world.clock.advance(limits.signUpWindowMs)
      assert.equal(await signUp('later', mallory), 303)
    },
  },
  {
    name: 'failed passwords',
    shares: {
      address: perWindow(limits.signInFailuresPerAddress, limits.signInWindowMs),
      user: perWindow(limits.signInFailuresPerAccount, limits.signInWindowMs),
    },
    refusal: tooManyRequests,
    attack: { file: 'lockout.test.ts', title: 'can sign in from any address while strangers are slowed down' },
  },
  {
    name: 'passwords and PINs that wait to be hashed on a node',
    total: count(limits.hashingTasksWaitingMax),
    shares: { address: 'one in turn' },
    refusal: 'more wait; beyond the total, the newest of the party with the most get 503',
    attack: {
      file: '../domain/credentials.test.ts',
      title: 'come before further ones of an address that fills the queue',
    },
  },
  {
    name: 'wrong client secrets',
    shares: { address: perWindow(limits.clientAuthenticationFailuresPerMinute, 60_000) },
    refusal: tooManyRequests,
    attack: { file: 'tokens.test.ts', title: 'a hundred a minute per address or IPv6 /64' },
  },
  {
    name: 'sessions',
    shares: { user: count(limits.sessionsPerUser) },
    refusal: 'the user’s least recently used ends',
    async attack({ world, mallory, bob }) {
      const { sessions } = world.service.accounts
      await world.clock.advance(1)
      await often(limits.sessionsPerUser, () =>
        sessions.start(mallory.userId, 'identity', { ...testOrigin, address: mallory.address }, 'password'),
      )
      assert.equal((await mallory.browser.get(`${world.baseUrl}/account`)).status, 302)
      assert.equal((await bob.browser.get(`${world.baseUrl}/account`)).status, 200)
    },
  },
  {
    name: 'audited changes',
    shares: { address: budget(limits.auditedActsPerNetwork), 'user and address': budget(limits.auditedActsPerUser) },
    refusal: tooManyRequests,
    async attack({ world, mallory, bob }) {
      const { audit, clock } = world.service
      const token = await makeToken(mallory.browser, world)
      for (let act = 0; act < limits.auditedActsPerUser.burst; act += 1) {
        audit.countAct(mallory.userId, mallory.address, clock.nowMs())
      }
      const refused = await rename(world, mallory.browser)
      assert.equal(refused.status, 429)
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      assert.match(refused.text, /Too many changes/)
      const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...mallory.headers }
      const init = { method: 'PUT', headers: json, body: '{"enabled":false}' }
      assert.equal((await fetch(`${world.baseUrl}/api/v1/bots/${mallory.botId}/public-status`, init)).status, 429)
      const elsewhere = new Browser({}, bob.headers)
      await signIn(world, { email: mallory.email, password }, elsewhere)
      for (const browser of [elsewhere, bob.browser]) assert.equal((await rename(world, browser)).status, 303)
    },
  },
  {
    name: 'applications',
    shares: { user: count(limits.applicationsPerOwner) },
    refusal: refused,
    attack: fill(limits.applicationsPerOwner - 1, 'applications-too-many', ({ world }, party) =>
      world.service.applications.owned.register(party.userId, application, by(party).origin),
    ),
  },
  {
    name: 'failed requests of applications',
    shares: { 'endpoint of an application': count(limits.failedRequestsKept) },
    refusal: oldestDeleted,
    async attack({ world, mallory }) {
      const { clientId } = mallory.client
      await redeem(world, { ...mallory.client, clientSecret: 'svc_cs_wrong' }, 'svc_ac_none')
      await often(limits.failedRequestsKept + 1, () =>
        fetch(`${world.baseUrl}/auth/consent?client_id=${clientId}&redirect_uri=https://evil.example/`),
      )
      const failures = await world.service.requests.failures(mallory.applicationId)
      const at = (place: string) => failures.filter((failure) => failure.place === place).length
      assert.deepEqual([at('consent'), at('credentials')], [limits.failedRequestsKept, 1])
    },
  },
  {
    name: 'flows',
    shares: { bot: count(limits.flowsPerBot) },
    refusal: refused,
    attack: fill(limits.flowsPerBot - 1, 'flows-too-many', ({ world }, party, at) =>
      world.service.bots.flows.putAsOwner(party.botId, parseFlowId(`flow-${at}`)!, { name: 'Flow' }, by(party)),
    ),
  },
  {
    name: 'invitations',
    shares: { bot: count(limits.invitationsPerBot) },
    refusal: refused,
    attack: fill(limits.invitationsPerBot, 'invitations-too-many', ({ world }, party) =>
      world.service.bots.invitations.make(party.botId, collaborator, by(party)),
    ),
  },
  {
    name: 'collaborators',
    shares: { bot: count(limits.collaboratorsPerBot) },
    refusal: refused,
    async attack({ world, mallory, bob }) {
      const { records } = world.service.bots
      const add = ({ botId }: Party, at: number | string) => {
        const coworker = { ...collaborator, userId: parseUserId(`coworker-${at}`)! }
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
      const { clearTextToken } = await invitations.make(mallory.botId, collaborator, by(mallory))
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
  },
  {
    name: 'runtimes',
    shares: { user: count(limits.runtimesPerOwner) },
    refusal: refused,
    attack: fill(limits.runtimesPerOwner, 'runtimes-too-many', ownRuntime),
  },
  {
    name: 'personal access tokens',
    shares: { user: count(limits.personalTokensPerUser) },
    refusal: refused,
    async attack({ world, mallory, bob }) {
      const make = ({ browser }: Party) => makeToken(browser, world)
      for (let at = 0; at < limits.personalTokensPerUser; at += 1) await make(mallory)
      await assert.rejects(make(mallory), /422/)
      await make(bob)
    },
  },
  {
    name: 'subscriptions to events',
    shares: { user: count(limits.subscriptionsPerOwner) },
    refusal: refused,
    attack: fill(limits.subscriptionsPerOwner, 'too-many', ({ world }, party) => {
      const wanted = { url: 'https://client.example/', types: ['bot.offline'] as const }
      return world.service.events.subscriptions.create(by(party), wanted)
    }),
  },
  {
    name: 'requests to subscriptions in flight on a node',
    total: count(limits.outgoingRequestsMax),
    shares: {
      user: count(limits.outgoingRequestsPerOwner),
      subscription: count(limits.outgoingRequestsPerSubscription),
      host: `${count(limits.outgoingRequestsPerHost)}, or ${count(limits.outgoingRequestsPerSlowHost)} if it responds slowly,`,
    },
    refusal: 'its events wait; beyond the total, the user with the fewest is next',
    attack: { file: 'slow-receivers.test.ts', title: 'at many hosts takes up only the owner’s share' },
  },
  {
    name: 'requests to the API for owners',
    shares: { token: perWindow(limits.ownerApiRequestsPerMinute, 60_000) },
    refusal: tooManyRequests,
    attack: { file: '../spec/owner-api.test.ts', title: 'other tokens are not affected' },
  },
  {
    name: 'bot status requests',
    shares: { address: perWindow(limits.botStatusRequestsPerMinute, 60_000) },
    refusal: tooManyRequests,
    attack: { file: '../spec/bot-status-limits.test.ts', title: 'each client address has its own limit' },
  },
  {
    name: 'live status pages',
    total: count(limits.statusStreamsMax),
    shares: { address: count(limits.statusStreamsPerAddress) },
    refusal: `${tooManyRequests}; the page polls instead`,
    attack: { file: '../spec/bot-status-stream.test.ts', title: 'one address can open at most 30 status streams' },
  },
  {
    name: 'live delivery pages',
    total: count(limits.deliveryStreamsMax),
    shares: { address: count(limits.deliveryStreamsPerAddress) },
    refusal: `${unavailable}; the page polls instead`,
    async attack({ t, world, mallory, bob }) {
      const open = async ({ botId, headers, browser }: Party) => {
        const leaving = new AbortController()
        t.after(() => leaving.abort())
        const sent = { headers: { ...headers, cookie: browser.cookieHeader() }, signal: leaving.signal }
        return fetch(`${world.baseUrl}/bots/${botId}/deliveries/live`, sent)
      }
      const streams: Response[] = []
      await often(limits.deliveryStreamsPerAddress, async () => streams.push(await open(mallory)))
      assert.ok(streams.every(({ status }) => status === 200))
      assert.deepEqual([(await open(mallory)).status, (await open(bob)).status], [503, 200])
    },
  },
  {
    name: 'streams with copies of webhooks on a node',
    total: count(limits.copyStreamsMax),
    shares: { address: count(limits.copyStreamsPerAddress), user: count(limits.copyStreamsPerOwner) },
    refusal: `${tooManyRequests}; beyond the total, an owner who has none gets the newest of the owner who has most, others ${unavailable}`,
    attack: {
      file: '../spec/owner-api-copies.test.ts',
      title: 'when a node has no free stream, an owner who has none',
    },
  },
  {
    name: 'bytes of copies of webhooks',
    shares: { user: byteBudget(limits.copyBytesPerOwner) },
    refusal: 'the next copies wait',
    attack: { file: '../spec/owner-api-copies.test.ts', title: 'copies have a budget of bytes' },
  },
  {
    name: 'delivered webhooks kept for replay',
    total: `${count(limits.finishedEventsKept.done.events)} and ${size(limits.finishedEventsKept.done.bytes)}`,
    shares: {
      bot: `${count(limits.finishedEventsKept.done.eventsPerBot)} and ${size(limits.finishedEventsKept.done.bytesPerBot)}`,
    },
    refusal: oldestDeletedAlsoInTotal,
    attack: retention,
  },
  {
    name: 'dead letters',
    total: `${count(limits.finishedEventsKept.dead.events)} and ${size(limits.finishedEventsKept.dead.bytes)}`,
    shares: {
      bot: `${count(limits.finishedEventsKept.dead.eventsPerBot)} and ${size(limits.finishedEventsKept.dead.bytesPerBot)}`,
    },
    refusal: oldestDeletedAlsoInTotal,
    attack: retention,
  },
  {
    name: 'memory for webhook bodies that are arriving',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: { address: 'half of what is free', bot: 'as much as is free' },
    refusal: unavailable,
    attack: arriving,
  },
  {
    name: 'memory for bodies of OAuth requests that are arriving',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: { address: 'half of what is free' },
    refusal: unavailable,
    attack: arriving,
  },
  {
    name: 'memory for bodies of other requests that are arriving at a URL',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: { address: 'half of what is free' },
    refusal: unavailable,
    attack: arriving,
  },
  {
    name: 'waiting webhooks',
    total: '`QUEUE_MAX_EVENTS` and `QUEUE_MAX_BYTES`',
    shares: {
      bot: `\`QUEUE_MAX_EVENTS_PER_BOT\` and \`QUEUE_MAX_BYTES_PER_BOT\`, and ${limits.botShareOfFreeQueue} times what is free`,
    },
    refusal: unavailable,
    async attack({ world, mallory, bob }) {
      for (let at = 0; at < atMostWaiting; at += 1) assert.equal((await post(world, mallory)).status, 202)
      assert.equal((await post(world, mallory)).status, 503)
      assert.equal((await post(world, bob)).status, 202)
    },
  },
  {
    name: 'deduplication marks of 24 hours',
    shares: { bot: budget(limits.dedupeMarksPerBot) },
    refusal: 'duplicates are accepted',
    attack: { file: '../spec/webhook-dedupe.test.ts', title: 'marks count against the share of a bot' },
  },
  {
    name: 'refused webhooks',
    shares: { flow: count(limits.refusedWebhooksKept), bot: `${count(limits.refusedWebhooksKept)} to no flow` },
    refusal: oldestDeleted,
    async attack({ world, mallory, bob }) {
      const refuse = ({ botId }: Party, address: string) =>
        fetch(`${world.apiUrl}/${botId}/hooks/none`, { method: 'POST', headers: { 'x-forwarded-for': address } })
      const kept = async ({ userId, botId }: Party) =>
        (await world.service.refusalLog.list(userId, botId, undefined, 1_000)).length
      await refuse(bob, bob.address)
      await often(2 * limits.refusedWebhooksKept, (at) => refuse(mallory, `192.0.2.${at}`))
      await world.service.refusalLog.flush()
      assert.deepEqual([await kept(mallory), await kept(bob)], [limits.refusedWebhooksKept, 1])
    },
  },
  {
    name: 'log entries of runtimes',
    shares: { bot: count(limits.logEntriesKeptPerBot) },
    refusal: oldestDeleted,
    async attack({ world, mallory, bob }) {
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
  },
  {
    name: 'sessions of runtimes on a node',
    shares: { runtime: count(limits.runtimeSessionsMax), user: count(limits.runtimeSessionsPerOwner) },
    refusal: 'closed with 1013',
    async attack(scene) {
      const { t, world, mallory, bob } = scene
      const keys = [await ownRuntime(scene, mallory), await ownRuntime(scene, mallory)]
      await often(limits.runtimeSessionsPerOwner, async (at) => {
        await new BotRuntime(t, world, { key: keys[at % 2] }).next('hello')
      })
      const further = new BotRuntime(t, world, { key: keys[0] })
      await assert.rejects(further.next('hello'), /the connection ended/)
      assert.equal((await further.closed).code, 1013)
      await BotRuntime.ready(t, world, await ownRuntime(scene, bob))
    },
  },
  {
    name: 'open connections of a process',
    total: `${count(limits.connectionsMax)}, or ${limits.filesNotForConnections} less than its open files`,
    shares: { 'address that isn’t a trusted proxy': `${limits.addressShareOfFreeConnections} times what is free` },
    refusal: 'closed at once',
    attack: { file: 'connections.test.ts', title: 'an address that keeps its share of connections open' },
  },
  {
    name: 'searches of users’ own pages at a URL',
    total: `${limits.siteSearchesAtOnce} at once`,
    shares: { user: 'one in turn' },
    refusal: 'more wait',
    async attack({ world, mallory, bob }) {
      let answered = 0
      const search = async ({ browser }: Party) => {
        const { status } = await browser.get(`${world.baseUrl}/search?q=bot+page`)
        answered += 1
        return status
      }
      const flood = Array.from({ length: 60 }, () => search(mallory))
      await flood[0]
      assert.equal(await search(bob), 200)
      assert.ok(answered < 30, `${answered} answered before`)
      await Promise.all(flood)
    },
  },
  {
    name: 'PostgreSQL connections for reading',
    total: '6 at once',
    shares: { address: 'one in turn' },
    refusal: 'more wait',
    attack: { file: '../adapters/postgres.row-writes.test.ts', title: 'they read in turn for each client address' },
  },
  {
    name: 'processor time for requests',
    shares: {
      address: `one request per tick, then ${limits.waitingRequestsPerTickMs} ms of each tick in turn, none for ${limits.refusalRestMs} ms after a refusal,`,
    },
    refusal: 'more wait',
    attack: { file: '../model/turns.test.ts', title: 'beside a flood from one address' },
  },
  {
    name: 'requests to pages and the API for owners',
    shares: {
      address: `one in turn, each for ${limits.requestTurnMs} ms at most, then a pause ${limits.requestPauseTimes} times as long,`,
    },
    refusal: 'more wait',
    attack: { file: '../model/turns.test.ts', title: 'beside another address, an address has one request in progress' },
  },
  {
    name: 'bytes from runtimes',
    shares: { session: byteBudget(limits.runtimeBytesPerSession), user: byteBudget(limits.runtimeBytesPerOwner) },
    refusal: 'not read meanwhile, then closed with 1013',
    attack: { file: 'runtime-flood.test.ts', title: 'while 24 sessions of one owner flood' },
  },
]

async function rename(world: World, browser: Browser) {
  return browser.submitAt(`${world.baseUrl}/account/name`, { name: 'Another name' })
}

describe('A party that uses up its share of a resource takes nothing from others', () => {
  for (const { name, attack } of sharedResources) {
    test(`our choice: another party is served when one has used up its share of ${name}`, async (t) => {
      if (typeof attack === 'function') return attack(await openScene(t))
      const text = readFileSync(join(import.meta.dirname, attack.file), 'utf8')
      assert.ok(text.includes(attack.title), `${attack.file} has no such test`)
    })
  }
})

test('docs/security.md shows every shared resource with its shares', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')
  const rows = sharedResources.map(({ name, total = '', shares, refusal }) => {
    const each = Object.entries(shares).map(([party, share]) => `${share} per ${party}`)
    return `| ${name} | ${total} | ${each.join('; ')} | ${refusal} |`
  })
  const table = ['| Resource | In total | Share | Once it is used up |', '|---|---|---|---|', ...rows].join('\n')
  assert.ok(document.includes(`\n\n${table}\n\n`), `the table under "Shares" must be:\n${table}`)
})
