import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { BotRuntime, makeRuntime, openHostedBot, post } from './support/bot-runtime.ts'
import { eventually } from './support/eventually.ts'
import { aClient, allow, type Client, consentUrl, openClient, redeem, userinfo } from './support/people.ts'
import { openPortal } from './support/portal-people.ts'
import { id, openScene } from './support/status-bot.ts'
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
    const { world, client, browser } = await openClient(t)
    const clients = [client]
    for (const id of ['b', 'c', 'd']) clients.push(await aClient(world, id))
    await allow(world, browser, consentUrl(world, client))
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
    const { world, bot, key } = await openHostedBot(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const unfinished = "SELECT 1 FROM events WHERE state <> 'done'"
    await assertFiles('webhook', async () => {
      await post(world, bot)
      const { delivery } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery] })
      await eventually(async () => (await inDatabase(world, 'queue', unfinished)).length === 0 || undefined)
    })
  })

  test('a heartbeat, and reading a bot’s status, stay within their limits', async (t) => {
    const { world, record } = await openScene(t)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await assertFiles('heartbeat', async () => {
      runtime.send({ type: 'heartbeat', bots: [{ botId: id, ready: true }], working: [] })
      await runtime.next('heartbeat')
    })
    await assertFiles('status', async () => {
      assert.equal((await record(id)).status, 200)
    })
  })

  test('rotating a secret stays within its limit', async (t) => {
    const { browser, address } = await openPortal(t)
    await assertFiles('rotate secret', async () => {
      const answer = await browser.submitAt(`${address}/secret`, {}, '/secret')
      assert.equal(answer.status, 200)
    })
  })
})
