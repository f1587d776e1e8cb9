import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { eventTypes } from '../../src/domain/subscriptions/outgoing-event.ts'
import { BotRuntime, untilStored } from './bot-runtime.ts'
import { openEventReceiver } from './event-receiver.ts'
import { eventually } from './eventually.ts'
import { openMailSink } from './mail-sink.ts'
import {
  aClient,
  ada,
  allow,
  type Browser,
  consentUrl,
  makeToken,
  provision,
  redeem,
  shown,
  signedIn,
  testOrigin,
} from './people.ts'
import { registered } from './portal-people.ts'
import { openWorld, type World } from './world.ts'

type Says = (plain: string, atMostCharacters: number) => string
export type PopulatedWorld = Awaited<ReturnType<typeof openPopulatedWorld>>

/**
 * Opens a service with content on every page: users, applications, bots with all their data, and past events.
 *
 * @param says called for each text that a user or a platform provides, with the default text and the maximum length.
 * Returns the text to use.
 */
export async function openPopulatedWorld(
  t: TestContext,
  says: Says = (plain) => plain,
  env: Record<string, string> = {},
) {
  const sink = await openMailSink(t)
  const world = await openWorld(t, {
    SMTP_URL: sink.url,
    MAIL_FROM: 'Gatehouse <gate@example.com>',
    CODE_HOSTING_NAME: says('Forge', 64),
    CODE_HOSTING_CLIENT_ID: 'gatehouse',
    CODE_HOSTING_CLIENT_SECRET: 'nothing that opens anything',
    CODE_HOSTING_AUTHORIZE_URL: 'http://127.0.0.1:9/authorize',
    CODE_HOSTING_TOKEN_URL: 'http://127.0.0.1:9/token',
    CODE_HOSTING_USERINFO_URL: 'http://127.0.0.1:9/userinfo',
    OWNER_FLOWS: 'on',
    EVENTS_ALLOW_PRIVATE: 'true',
    ...env,
  })
  const packages = join(world.dataDir, 'packages')
  mkdirSync(packages)
  for (const name of ['cli-0.9.0.tgz', 'cli-1.0.0.tgz', 'runtime-1.0.0.tgz']) {
    writeFileSync(join(packages, `gatehouse-${name}`), name)
  }
  writeFileSync(join(packages, 'gatehouse_runtime-1.0.0-py3-none-any.whl'), 'wheel')
  const put = async (path: string, body: object, method = 'PUT') => {
    const { status, json } = await provision(world, method, `/v1/${path}`, body)
    assert.ok(status < 300, JSON.stringify(json))
    return json
  }
  const { email, password, pin } = ada
  await put('users/ada', { name: says('Ada Lovelace', 100), email, password, pin, codeHostingId: '1815' })
  await put('users/grace', { name: says('Grace Hopper', 100), email: 'grace@example.com' })
  await put('users/alan', { name: says('Alan Turing', 100) })
  await put('users/kurt', { name: says('Kurt Gödel', 100), email: 'kurt@example.com' })
  await put('scopes/calendar.read', { description: says('See your calendar', 200) })

  const client = await aClient(world, 'acme', {
    name: says('Acme Dashboard', 100),
    websiteUrl: `https://client.example/${encodeURI(says('', 200))}`,
  })
  const browser = await signedIn(world)
  const scope = 'user.identify user.email bots.read offline_access calendar.read'
  const granted = await allow(world, browser, consentUrl(world, client, { scope }))
  await redeem(world, client, granted.searchParams.get('code') ?? '')
  // Two failed requests, which the application's owner can see.
  await browser.visit(consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }), world)
  await redeem(world, client, 'svc_ac_none')
  await browser.visit(world.portalUrl, world)
  const application = await registered(world, browser, {
    name: says('Night Shift', 100),
    website_url: 'https://night.example',
    environment: 'development',
    redirect_uris: 'http://localhost:8080/callback\nhttp://localhost:8080/callback/',
  })
  const secrets = await browser.get(`${application.address}/secrets`)
  await browser.submit(secrets, { label: says('Second server', 50) }, '/secrets')

  await makeToken(browser, world, { name: says('Deploy script', 100) })

  const runtime = await furnishBots(world, browser, put, says)
  const events = await addPastEvents(t, world, runtime.key, put, says)
  await browser.submitAt(`${world.baseUrl}/forgot-password`, { email })
  const resetLink = await sink.nextLink()
  return {
    world,
    /** A browser without scripts, in which Ada is signed in. */
    browser,
    client,
    /** Another application, created in the portal, with two secrets. */
    application,
    /** IDs of an acknowledged event and of a dead letter. */
    events,
    /** ID of Ada’s subscription, with a delivered and a failed test event. */
    subscription: await subscribe(t, world, says),
    runtimeId: runtime.id,
    resetLink,
    /** Link of a bot invitation that has not been accepted. */
    invitation: runtime.invitation,
  }
}

type Put = (path: string, body: object, method?: string) => Promise<unknown>

/** Creates Ada’s subscription and sends it two test events, the second of which fails. */
async function subscribe(t: TestContext, world: World, says: Says) {
  const receiver = await openEventReceiver(t)
  const path = `/${encodeURI(says('events', 200))}`
  const by = { userId: parseUserId('ada')!, origin: testOrigin }
  const { subscriptions, log } = world.service.events
  const form = { url: receiver.url + path, types: eventTypes }
  const { id } = (await subscriptions.create(by, form)).subscription
  const latest = (state: string) =>
    eventually(async () => {
      const [event] = (await log.page(by, id, {}, { most: 1 })).events
      return (event?.state === state && event.attempts === 1) || undefined
    })
  await subscriptions.test(by, id)
  await latest('done')
  receiver.responses.set(new URL(form.url).pathname, { status: 500, body: says('out of order', 200) })
  await subscriptions.test(by, id)
  await latest('ready')
  return { id }
}

/** Creates Ada’s bots, and the runtime of one of them. */
async function furnishBots(world: World, browser: Browser, put: Put, says: Says) {
  const bot = { ownerId: 'ada', hostingEnabled: true, publicStatus: true }
  const hosted = { ...bot, chatPlatformId: '215215215215215215', hostingLocation: 'cloud', plan: 'pro' }
  const idle = { ...bot, chatPlatformId: '316316316316316316', hostingEnabled: false }
  const event = (name: string, path: string, requiresKey: boolean) => ({
    kind: 'event',
    name: says(name, 100),
    webhook: { path, requiresKey },
  })
  const command = { kind: 'command', name: says('Say hello', 100), publicCode: says('HELLO', 100) }
  await put('bots/lantern', { ...hosted, name: says('Lantern', 100) })
  await put('bots/harbor', { ...idle, name: says('Harbor', 100) })
  await put('bots/lantern/coworkers/grace', { role: 'editor', capabilities: ['keys', says('poetry', 64)] })
  await put('bots/lantern/coworkers/alan', { role: 'viewer', capabilities: [] })
  await put('bots/lantern/guilds', { guildIds: ['417417417417417417'] })
  await put('bots/lantern/flows/hello', command)
  await put('bots/lantern/flows/deploys', event('Announce deployments', 'deploys', false))
  await put('bots/lantern/flows/alerts', event('Raise alerts', 'alerts/high', true))
  const submit = async (path: string, fields: Record<string, string>, action = path) => {
    const answer = await browser.submitAt(`${world.baseUrl}/bots/lantern${path}`, fields, action)
    assert.ok(answer.status < 400, answer.text)
    return answer
  }
  await submit('/flows/alerts/key', { key_before: 'ends-in-24-hours' })
  await submit('/settings', { notice: says('Moves to another host on Sunday', 200) }, '/notice')
  const invite = async (label: string) => {
    const fields = { label: says(label, 100), role: 'editor', capability: 'keys' }
    return shown(await submit('/invitations/new', fields, '/invitations'), 'invitation-link')
  }
  const accepted = new URL(await invite('Grace')).searchParams.get('token') ?? ''
  await world.service.bots.invitations.accept(accepted, { userId: parseUserId('kurt')!, origin: testOrigin })
  const invitation = await invite('edsger@example.com')
  const made = await submit('/runtimes', { name: says('Attic', 100), hosts: 'this' })
  const id = /\/runtimes\/([^/"]+)\/key"/.exec(made.text)?.[1] ?? ''
  return { id, key: shown(made, 'runtime-key'), invitation }
}

async function addPastEvents(t: TestContext, world: World, key: string, put: Put, says: Says) {
  const { runtime } = await BotRuntime.ready(t, world, key, { agent: says('a test', 200) })
  const sender = { 'user-agent': says('a sender', 200), 'x-request-id': says('7', 100) }
  const headers = { 'content-type': 'application/json', ...sender }
  const post = async (body: string) => {
    const response = await fetch(`${world.apiUrl}/lantern/deploys`, { method: 'POST', body, headers })
    assert.equal(response.status, 202)
    return runtime.next('dispatch')
  }
  const { delivery: first, id: done } = await post(JSON.stringify({ version: 7, says: says('It is out', 200) }))
  await world.clock.advance(400)
  runtime.send({ type: 'ack', deliveries: [first] })
  await untilStored(world, 'lantern', done)
  const { delivery: second, id: dead } = await post(says('Version 8 is out', 200))
  await world.clock.advance(1_300)
  runtime.send({ type: 'nack', delivery: second, error: says('No such channel', 200), dead: true })
  const counts = { uptimeMs: 90_000, guildCount: 1_234, shardCount: 2 }
  const report = { botId: 'lantern', ready: true, presence: 'online', ...counts }
  await runtime.heartbeat([], [report])
  const entries = ['debug', 'info', 'warn', 'error'].map((level) => ({ level, message: says('Slow answer', 200) }))
  await put('bots/lantern/logs', { entries }, 'POST')
  await fetch(`${world.apiUrl}/lantern/alerts/high`, { method: 'POST', body: '{}' })
  await fetch(`${world.apiUrl}/lantern/alert`, { method: 'POST', body: '{}' })
  await world.clock.advance(2_000)
  return { done: String(done), dead: String(dead) }
}
