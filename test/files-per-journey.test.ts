import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { BotRuntime, makeRuntime, provisionListeningBot } from './support/bot-runtime.ts'
import { eventually } from './support/eventually.ts'
import {
  aClient,
  adaWithClient,
  allow,
  type Client,
  consentUrl,
  provision,
  redeem,
  signedIn,
  userinfo,
} from './support/people.ts'
import { atPortal, registered } from './support/portal-people.ts'
import { id, putBot } from './support/status-bot.ts'
import { openWorld } from './support/world.ts'
import { inDatabase } from './support/world-database.ts'

const source = pathToFileURL(`${import.meta.dirname}/../src/`).href

/**
 * Maximum files of src/ in which a function runs during one warm request, or a GET and its POST. Smaller is better:
 * lower a limit once a journey passes fewer files.
 */
const filesMax = { consent: 39, token: 25, userinfo: 20, webhook: 35, heartbeat: 13, status: 13, 'rotate secret': 42 }

describe('How many files somebody who follows a request has to read', () => {
  const profiler = new Session()
  before(async () => {
    profiler.connect()
    await profiler.post('Profiler.enable')
    // Counts calls, so that each reading starts from zero.
    await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  })

  after(() => profiler.disconnect())

  async function assertFiles(journey: keyof typeof filesMax, travel: () => Promise<void>): Promise<void> {
    await travel()
    // What runs at intervals can join one of two journeys, but hardly both.
    const passed = [await filesOf(travel), await filesOf(travel)].reduce((all, again) => all.intersection(again))
    assert.ok(passed.size <= filesMax[journey], `${passed.size} files:\n${[...passed].sort().join('\n')}`)
  }

  async function filesOf(travel: () => Promise<void>): Promise<Set<string>> {
    await profiler.post('Profiler.takePreciseCoverage')
    await travel()
    const { result } = await profiler.post('Profiler.takePreciseCoverage')
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]?.count))
    return new Set(ran.map(({ url }) => url).filter((url) => url.startsWith(source)))
  }

  test('consent, token and userinfo stay within their limits', async (t) => {
    const world = await openWorld(t)
    const clients = [
      await adaWithClient(world),
      await aClient(world, 'b'),
      await aClient(world, 'c'),
      await aClient(world, 'd'),
    ]
    const browser = await signedIn(world)
    await allow(world, browser, consentUrl(world, clients[0] as Client))
    const codes: string[] = []
    await assertFiles('consent', async () => {
      const page = await browser.visit(consentUrl(world, clients[1 + codes.length] as Client), world)
      const answer = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
      codes.push(answer.location?.searchParams.get('code') as string)
    })
    let accessToken = ''
    await assertFiles('token', async () => {
      accessToken = (await redeem(world, clients[codes.length] as Client, codes.pop() as string)).json.access_token
      assert.ok(accessToken)
    })
    await assertFiles('userinfo', async () => assert.equal((await userinfo(world, accessToken)).status, 200))
  })

  test('a webhook, until its acknowledgement is stored, stays within its limit', async (t) => {
    const world = await openWorld(t)
    const { botId, path } = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const unfinished = "SELECT 1 FROM events WHERE state <> 'done'"
    await assertFiles('webhook', async () => {
      assert.equal((await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', body: '{}' })).status, 202)
      const { delivery } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery] })
      await eventually(async () => (await inDatabase(world, 'queue', unfinished)).length === 0 || undefined)
    })
  })

  test('a heartbeat, and reading a bot’s status, stay within their limits', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
    await putBot(world)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await assertFiles('heartbeat', async () => {
      runtime.send({ type: 'heartbeat', bots: [{ botId: id, ready: true }], working: [] })
      await runtime.next('heartbeat')
    })
    await assertFiles('status', async () => {
      assert.equal((await fetch(`${world.baseUrl}/botstatus/${id}/api`)).status, 200)
    })
  })

  test('rotating a secret stays within its limit', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address } = await registered(world, browser)
    await assertFiles('rotate secret', async () => {
      const answer = await browser.submitAt(`${address}/secret`, {}, '/secret')
      assert.equal(answer.status, 200)
    })
  })
})
