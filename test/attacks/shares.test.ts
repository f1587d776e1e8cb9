import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { parseQuery } from '../../src/domain/authorization/authorization-request.ts'
import { logLevels } from '../../src/domain/bots/runtimes/runtime-logs.ts'
import {
  type ApplicationId,
  type BotId,
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

/** One user with a bot that has a flow for webhooks, an application, a browser and an address of their own. */
interface Party {
  userId: UserId
  email: string
  botId: BotId
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
  const settings = { TRUST_PROXY: '1', OWNER_FLOWS: 'on', QUEUE_MAX_EVENTS_PER_BOT: String(atMostWaiting) }
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

/**
 * Adds eight more than one party may have, several at a time. Asserts that only eight are refused, each with `refusal`,
 * and that another party can still add.
 */
function fill(
  atMost: number,
  refusal: RegExp | { reason: string },
  add: (scene: Scene, party: Party, at: number) => Promise<unknown>,
): Attack {
  return async (scene) => {
    const errors: unknown[] = []
    await often(atMost + 8, (at) => add(scene, scene.mallory, at).catch((error) => errors.push(error)))
    assert.equal(errors.length, 8)
    for (const error of errors) {
      assert.throws(() => {
        throw error
      }, refusal)
    }
    await add(scene, scene.bob, 0)
  }
}

async function ownRuntime({ world }: Scene, party: Party) {
  return (await world.service.bots.runtimes.make({ name: 'own', botIds: null }, by(party))).clearTextKey
}

/** Something that several parties use up together. A party is a client address (IPv6 by /64), a user, or belongs to one. */
interface SharedResource {
  /** Every number in the columns for total and share of `docs/security.md`, alone or with words around it. */
  stated: readonly (number | string)[]
  /** A string names a test elsewhere that fills a share: with smaller limits, because real ones take a minute, or over HTTP. */
  attack: Attack | `${string}.test.ts: ${string}`
}

const count = (number: number) => number.toLocaleString('en-US')
const size = (bytes: number) => `${count(bytes / 1_048_576)} MiB`
const perMinutes = (number: number, windowMs: number) =>
  `${count(number)} ${windowMs === 60_000 ? 'a minute' : windowMs === 3_600_000 ? 'an hour' : `in ${windowMs / 60_000} minutes`}`
const budget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${count(burst)} at once and ${perSecond} a second`
const byteBudget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${size(burst)} at once and ${size(perSecond)} a second`

const finished = (state: 'done' | 'dead') => {
  const { events, bytes, eventsPerBot, bytesPerBot } = limits.finishedEventsKept[state]
  return [`${count(events)} and ${size(bytes)}`, `${count(eventsPerBot)} and ${size(bytesPerBot)}`]
}

const retention = '../contract/delivery-queue-retention.test.ts: another bot keeps all of its few'
const arriving = {
  stated: [size(limits.arrivingBodiesMaxBytes)],
  attack: 'arriving-bodies.test.ts: take its share; other',
} as const

/** Everything that several parties use up together, as in `docs/security.md`. */
const sharedResources: Readonly<Record<string, SharedResource>> = {
  'authorization attempts': {
    stated: [
      limits.attemptsMax,
      limits.attemptsPerAddress.short,
      limits.attemptsPerUser.short,
      limits.pushedRequestsPerApplication.short,
    ],
    attack: (scene) => fillAttemptsOfUser(scene, 'short', limits.attemptsPerUser.short),
  },
  [`authorization attempts whose \`state\` and redirect URI exceed ${limits.attemptShortMaxCharacters} characters`]: {
    stated: [limits.attemptsPerAddress.long, limits.attemptsPerUser.long, limits.pushedRequestsPerApplication.long],
    async attack(scene) {
      const state = 'x'.repeat(4_000)
      await fillAttemptsOfUser(scene, state, limits.attemptsPerUser.long)
      await fillAttemptsOfAddress(scene, state, limits.attemptsPerAddress.long)
    },
  },
  'passkey challenges': {
    stated: [
      limits.passkeyChallengesMax,
      limits.passkeyChallengesPerAddress,
      limits.passkeyChallengesPerAddress,
      limits.passkeyChallengesPerBrowser,
    ],
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
  'visits to sign-in providers': {
    stated: [limits.providerVisitsMax, limits.providerVisitsPerAddress],
    async attack({ world, mallory, bob }) {
      const { linkedAccounts } = world.service
      const begin = async ({ address }: Party) => {
        const clearTextBrowserKey = linkedAccounts.newBrowserKey()
        const begun = { linking: undefined, onward: undefined, clearTextBrowserKey, address }
        const to = await linkedAccounts.beginSignIn('upstream', begun)
        return async () => {
          const query = (await fetch(to, { redirect: 'manual' })).headers.get('location')?.replace(/^[^?]*\?/, '') ?? ''
          const visit = { providerKey: 'upstream', query, clearTextBrowserKey, session: undefined }
          return linkedAccounts.finishSignIn({ ...visit, browser: { ...testOrigin, address } })
        }
      }
      const [finishTheirs, finishFirst] = [await begin(bob), await begin(mallory)]
      await world.clock.advance(1)
      await often(limits.providerVisitsPerAddress, () => begin(mallory))
      await assert.rejects(finishFirst(), { reason: 'visit-unknown' })
      assert.equal((await finishTheirs()).kind, 'signed-in')
    },
  },
  'new accounts': {
    stated: [perMinutes(limits.signUpsPerAddress, limits.signUpWindowMs)],
    async attack(scene) {
      const { world, mallory } = scene
      let accounts = 0
      const signUp = async (_: Scene, { headers }: Party) => {
        accounts += 1
        const form = { name: 'Eve', email: `eve-${accounts}@example.com`, password }
        assert.equal((await new Browser({}, headers).submitAt(`${world.baseUrl}/sign-up`, form)).status, 303)
      }
      await fill(limits.signUpsPerAddress, /^429 !== 303$/m, signUp)(scene)
      await world.clock.advance(limits.signUpWindowMs)
      await signUp(scene, mallory)
    },
  },
  'failed passwords': {
    stated: [
      perMinutes(limits.signInFailuresPerAddress, limits.signInWindowMs),
      perMinutes(limits.signInFailuresPerAccount, limits.signInWindowMs),
    ],
    attack: 'lockout.test.ts: can sign in from any address while strangers are slowed down',
  },
  'passwords and PINs that wait to be hashed on a node': {
    stated: [limits.hashingTasksWaitingMax],
    attack: '../domain/credentials.test.ts: come before further ones of an address that fills the queue',
  },
  'wrong client secrets': {
    stated: [perMinutes(limits.clientAuthenticationFailuresPerMinute, 60_000)],
    attack: 'tokens.test.ts: a hundred a minute per address or IPv6 /64',
  },
  sessions: {
    stated: [limits.sessionsPerUser],
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
  'audited changes': {
    stated: [budget(limits.auditedActsPerNetwork), budget(limits.auditedActsPerUser)],
    async attack({ world, mallory, bob }) {
      const { audit, clock } = world.service
      const token = await makeToken(mallory.browser, world)
      for (let act = 0; act < limits.auditedActsPerUser.burst; act += 1) {
        audit.countAct(mallory.userId, mallory.address, clock.nowMs())
      }
      const rename = (browser: Browser) => browser.submitAt(`${world.baseUrl}/account/name`, { name: 'Another name' })
      const refused = await rename(mallory.browser)
      assert.equal(refused.status, 429)
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      assert.match(refused.text, /Too many changes/)
      const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...mallory.headers }
      const init = { method: 'PUT', headers: json, body: '{"enabled":false}' }
      assert.equal((await fetch(`${world.baseUrl}/api/v1/bots/${mallory.botId}/public-status`, init)).status, 429)
      const elsewhere = new Browser({}, bob.headers)
      await signIn(world, { email: mallory.email, password }, elsewhere)
      for (const browser of [elsewhere, bob.browser]) assert.equal((await rename(browser)).status, 303)
    },
  },
  applications: {
    stated: [limits.applicationsPerOwner],
    attack: fill(limits.applicationsPerOwner - 1, { reason: 'applications-too-many' }, ({ world }, party) =>
      world.service.applications.owned.register(party.userId, application, by(party).origin),
    ),
  },
  'failed requests of applications': {
    stated: [limits.failedRequestsKept],
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
  flows: {
    stated: [limits.flowsPerBot],
    attack: fill(limits.flowsPerBot - 1, { reason: 'flows-too-many' }, ({ world }, party, at) =>
      world.service.bots.flows.putAsOwner(party.botId, parseFlowId(`flow-${at}`)!, { name: 'Flow' }, by(party)),
    ),
  },
  invitations: {
    stated: [limits.invitationsPerBot],
    attack: fill(limits.invitationsPerBot, { reason: 'invitations-too-many' }, ({ world }, party) =>
      world.service.bots.invitations.make(party.botId, collaborator, by(party)),
    ),
  },
  collaborators: {
    stated: [limits.collaboratorsPerBot],
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
  runtimes: {
    stated: [limits.runtimesPerOwner],
    attack: fill(limits.runtimesPerOwner, { reason: 'runtimes-too-many' }, ownRuntime),
  },
  'personal access tokens': {
    stated: [limits.personalTokensPerUser],
    attack: fill(limits.personalTokensPerUser, /: 422 <!doctype/, ({ world }, { browser }) =>
      makeToken(browser, world),
    ),
  },
  'subscriptions to events': {
    stated: [limits.subscriptionsPerOwner],
    attack: fill(limits.subscriptionsPerOwner, { reason: 'too-many' }, ({ world }, party) => {
      const wanted = { url: 'https://client.example/', types: ['bot.offline'] as const }
      return world.service.events.subscriptions.create(by(party), wanted)
    }),
  },
  'requests to subscriptions in flight on a node': {
    stated: [
      limits.outgoingRequestsMax,
      limits.outgoingRequestsPerOwner,
      limits.outgoingRequestsPerSubscription,
      limits.outgoingRequestsPerHost,
      `${limits.outgoingRequestsPerSlowHost} if it responds slowly`,
    ],
    attack: 'slow-receivers.test.ts: at many hosts takes up only the owner’s share',
  },
  'requests to the API for owners': {
    stated: [perMinutes(limits.ownerApiRequestsPerMinute, 60_000)],
    attack: '../spec/owner-api.test.ts: other tokens are not affected',
  },
  'bot status requests': {
    stated: [perMinutes(limits.botStatusRequestsPerMinute, 60_000)],
    attack: '../spec/bot-status-api.test.ts: each client address has its own limit',
  },
  'live status pages': {
    stated: [limits.statusStreamsMax, limits.statusStreamsPerAddress],
    attack: '../spec/bot-status-incidents.test.ts: one address can open at most 30 status streams',
  },
  'live delivery pages': {
    stated: [limits.deliveryStreamsMax, limits.deliveryStreamsPerAddress],
    attack: fill(
      limits.deliveryStreamsPerAddress,
      /^503 !== 200$/m,
      async ({ t, world }, { botId, headers, browser }) => {
        const leaving = new AbortController()
        const sent = { headers: { ...headers, cookie: browser.cookieHeader() }, signal: leaving.signal }
        const answer = await fetch(`${world.baseUrl}/bots/${botId}/deliveries/live`, sent)
        // Keeps the answer until then: fetch ends the stream of one that was collected as garbage.
        t.after(() => {
          leaving.abort()
          return answer.text().catch(() => {})
        })
        assert.equal(answer.status, 200)
      },
    ),
  },
  'streams with copies of webhooks on a node': {
    stated: [limits.copyStreamsMax, limits.copyStreamsPerAddress, limits.copyStreamsPerOwner],
    attack: '../spec/owner-api-copies.test.ts: when a node has no free stream, an owner who has none',
  },
  'bytes of copies of webhooks': {
    stated: [byteBudget(limits.copyBytesPerOwner)],
    attack: '../spec/owner-api-copies.test.ts: copies have a budget of bytes',
  },
  'delivered webhooks kept for replay': { stated: finished('done'), attack: retention },
  'dead letters': { stated: finished('dead'), attack: retention },
  'memory for webhook bodies that are arriving': arriving,
  'memory for bodies of OAuth requests that are arriving': arriving,
  'memory for bodies of other requests that are arriving at a URL': arriving,
  'waiting webhooks': {
    stated: [`${limits.botShareOfFreeQueue} times what is free`],
    attack: fill(atMostWaiting, /^503 !== 202$/m, async ({ world }, { botId, headers }) => {
      const init = { method: 'POST', body: '{}', headers }
      assert.equal((await fetch(`${world.apiUrl}/${botId}/${webhookPath}`, init)).status, 202)
    }),
  },
  'deduplication marks of 24 hours': {
    stated: [budget(limits.dedupeMarksPerBot)],
    attack: '../spec/webhook-dedupe.test.ts: marks count against the share of a bot',
  },
  'refused webhooks': {
    stated: [limits.refusedWebhooksKept, `${limits.refusedWebhooksKept} to no flow`],
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
  'log entries of runtimes': {
    stated: [limits.logEntriesKeptPerBot],
    async attack({ world, mallory, bob }) {
      const { logs } = world.service.bots
      const write = ({ botId }: Party, entries: number) => {
        const entry = { level: 'info', message: 'lit', atMs: world.clock.nowMs() } as const
        const written = Array.from({ length: entries }, () => entry)
        return logs.write(botId, written)
      }
      const kept = async ({ botId }: Party) => (await logs.page(botId, { levels: logLevels, most: 5_000 })).length
      await write(bob, 1)
      await write(mallory, limits.logEntriesKeptPerBot)
      await write(mallory, 10)
      assert.deepEqual([await kept(mallory), await kept(bob)], [limits.logEntriesKeptPerBot, 1])
    },
  },
  'sessions of runtimes on a node': {
    stated: [limits.runtimeSessionsMax, limits.runtimeSessionsPerOwner],
    async attack(scene) {
      const { t, world, mallory } = scene
      const keys = [await ownRuntime(scene, mallory), await ownRuntime(scene, mallory)]
      const connect = async (_: Scene, party: Party, at: number) => {
        const key = party === mallory ? keys[at % 2] : await ownRuntime(scene, party)
        const runtime = new BotRuntime(t, world, { key })
        await runtime.next('hello').catch(async () => assert.fail(`closed with ${(await runtime.closed).code}`))
      }
      await fill(limits.runtimeSessionsPerOwner, /closed with 1013$/m, connect)(scene)
    },
  },
  'open connections of a process': {
    stated: [
      limits.connectionsMax,
      limits.filesNotForConnections,
      `${limits.addressShareOfFreeConnections} times what is free`,
    ],
    attack: 'connections.test.ts: an address that keeps its share of connections open',
  },
  'searches of users’ own pages at a URL': {
    stated: [`${limits.siteSearchesAtOnce} at once`],
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
  'PostgreSQL connections for reading': {
    stated: ['6 at once'],
    attack: '../adapters/postgres.row-writes.test.ts: they read in turn for each client address',
  },
  'processor time for requests': {
    stated: [`${limits.waitingRequestsPerTickMs} ms of each tick`, `${limits.refusalRestMs} ms after a refusal`],
    attack: '../model/turns.test.ts: beside a flood from one address',
  },
  'requests to pages and the API for owners': {
    stated: [`${limits.requestTurnMs} ms at most`, `${limits.requestPauseTimes} times as long`],
    attack: '../model/turns.test.ts: beside another address, an address has one request in progress',
  },
  'bytes from runtimes': {
    stated: [byteBudget(limits.runtimeBytesPerSession), byteBudget(limits.runtimeBytesPerOwner)],
    attack: 'runtime-flood.test.ts: while 24 sessions of one owner flood',
  },
}

describe('A party that uses up its share of a resource takes nothing from others', () => {
  for (const [name, { attack }] of Object.entries(sharedResources)) {
    test(`our choice: another party is served when one has used up its share of ${name}`, async (t) => {
      if (typeof attack === 'function') return attack(await openScene(t))
      const [file = '', title = ''] = attack.split(': ')
      assert.ok(readFileSync(join(import.meta.dirname, file), 'utf8').includes(title), `${file} has no such test`)
    })
  }
})

test('docs/security.md lists every shared resource with its limits', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')
  const [, table = ''] = /\n\| Resource \|.*\n\|---.*\n((?:\|.*\n)+)/.exec(document) ?? []
  const rows = table.matchAll(/^\| (.+?) \| (.*?) \| (.+?) \| .+ \|$/gm)
  const listed = new Map([...rows].map(([, name = '', total, share]) => [name, `${total}; ${share}`]))
  assert.deepEqual([...listed.keys()], Object.keys(sharedResources))
  for (const [name, { stated }] of Object.entries(sharedResources)) {
    const limits = stated.map((limit) => RegExp.escape(limit.toLocaleString('en-US')))
    assert.match(listed.get(name) ?? '', new RegExp(`^\\D*${limits.join('\\D+')}\\D*$`), name)
  }
})
