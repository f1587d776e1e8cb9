import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { AuditActor, AuditKind } from '../../src/domain/audit/audit.ts'
import { openAudit } from '../support/audit.ts'
import {
  ada,
  adaWithClient,
  Browser,
  codeFor,
  openBot,
  provision,
  redeem,
  refresh,
  send,
  signedIn,
  signIn,
} from '../support/people.ts'
import type { World } from '../support/world.ts'

describe('Activity pages', () => {
  test('the Activity tab shows a user’s own events and no other user’s', async (t) => {
    const { world, client } = await openAudit(t)
    await provision(world, 'PUT', '/v1/users/bob', {
      name: 'Bob',
      email: 'bob@example.com',
      password: 'harbour gate 12',
    })
    const bob = await signedIn(world, { email: 'bob@example.com', password: 'harbour gate 12' })
    const browser = await signedIn(world)
    await codeFor(world, browser, client)
    await signIn(world, { ...ada, password: 'not her password' })

    const list = await browser.get(`${world.baseUrl}/account/activity`)
    assert.equal(list.status, 200)
    assert.deepEqual(titlesIn(list.text), [
      'A sign-in failed',
      'You granted access to Acme Dashboard',
      'You signed in',
      'The operator created the account',
    ])
    assert.deepEqual(titlesIn((await bob.get(`${world.baseUrl}/account/activity`)).text), [
      'You signed in',
      'The operator created the account',
    ])
    assert.equal((await new Browser().get(`${world.baseUrl}/account/activity`)).location?.pathname, '/sign-in')
  })

  test('our choice: the Activity tab lists 20 events, with a link to older ones if there are any', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    const origin = { address: '192.0.2.1', userAgent: undefined }
    for (let event = 0; event < 38; event += 1) {
      await world.service.audit.record({ kind: 'sign-in', actor: 'user', userId: 'ada' as never, origin })
    }
    let page = await browser.get(`${world.baseUrl}/account/activity`)
    const sizes = [titlesIn(page.text).length]
    for (let way = /href="(\?|[^"]*\?before=\d+)"/.exec(page.text); way !== null; ) {
      page = await browser.get(new URL(way[1] as string, page.url))
      sizes.push(titlesIn(page.text).length)
      way = /href="([^"]*\?before=\d+)"/.exec(page.text)
    }
    assert.deepEqual(sizes, [20, 20])
  })

  test('the owner sees the application’s events; our choice: the addresses and browsers of its users are hidden', async (t) => {
    const { world, client } = await openAudit(t)
    const password = 'harbour gate 12'
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com', password })
    const bob = await signedIn(world, { email: 'bob@example.com', password })
    const tokens = await redeem(world, client, await codeFor(world, bob, client))
    await refresh(world, client, tokens.json.refresh_token, {}, { 'user-agent': 'acme-server/1' })
    await refresh(world, client, tokens.json.refresh_token, {}, { 'user-agent': 'thief/1' })
    const owner = await signedIn(world)
    const { status, text } = await owner.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.equal(status, 200)
    assert.deepEqual(titlesIn(text), [
      'A used refresh token for Acme Dashboard was presented again',
      'User bob granted access to Acme Dashboard',
      'The operator created the application Acme Dashboard',
    ])
    assert.equal(text.match(/Hidden/g)?.length, 2)
    assert.equal(text.match(/>thief\/1/g)?.length, 1)
    for (const read of [text, (await bob.get(`${world.baseUrl}/account/activity`)).text]) {
      assert.match(read, /Probably stolen/)
    }
    const stranger = await bob.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.equal(stranger.status, 404)
  })
})

/** An event with typical details. */
interface Example {
  actor?: AuditActor
  on?: 'acme' | 'bot-1'
  detail?: Record<string, string>
  /** What its entry must contain in every language, for example the object's name. */
  name?: string
  /** What its entry must contain in English. */
  english?: string
  /** Path of the page to which the entry links. */
  link?: string
}

const flow = '/bots/bot-1/flows/orders'
const event = '/bots/bot-1/deliveries/ev1'
const token = { personalTokenId: 'x', personalTokenName: 'Deploy' }
const coworker = { coworker: 'ed', role: 'editor', capabilities: 'deliveries poetry' }

const examples: Record<AuditKind, readonly Example[]> = {
  'sign-in': [{ detail: { by: 'password' }, english: 'You signed in' }],
  'sign-in-failed': [{ ...onAccount('password'), actor: 'nobody' }],
  'pin-locked': [onAccount('pin', { minutes: '15' })],
  'pin-changed': [onAccount('pin')],
  'password-changed': [onAccount('password')],
  'email-changed': [onAccount('email')],
  'session-ended': [onAccount('sessions', { sessions: '2' }, '2')],
  'passkey-added': [onAccount('passkeys', { name: 'Key' }, 'Key')],
  'passkey-removed': [onAccount('passkeys', { name: 'Key' }, 'Key')],
  'account-linked': [onAccount('linked', { provider: 'code-hosting', name: 'Forge' }, '(Forge)')],
  'account-unlinked': [onAccount('linked', { provider: 'code-hosting', name: 'Forge' }, '(Forge)')],
  grant: [onAcme({ scopes: 'user.identify bots.read', consent: 'given' })],
  'consent-withdrawn': [onAcme()],
  'refresh-reuse': [onAcme({ probably: 'theft' }), onAcme({ probably: 'client race' })],
  'code-replay': [onAcme()],
  revoke: [onAcme({ token: 'access token' }), { ...onAcme({ token: 'refresh token' }), actor: 'client' }],
  'application-registered': [onAcme()],
  'application-changed': [onAcme()],
  'application-deleted': [onAcme()],
  'secret-rotated': [onAcme({ lastFour: 'abcd' })],
  'secret-added': [{ ...onAcme({ label: 'Server' }), english: 'secret “Server” for Acme' }],
  'secret-revoked': [{ ...onAcme({ lastFour: 'abcd' }), english: '“••••abcd” for Acme' }],
  'flow-changed': [
    {
      ...onBot({ flow: 'orders', members: 'ordered, dedupe, ownerRequiresKey' }, flow, 'Orders'),
      english: 'of bot Weather Fields: strict order, duplicates, key requirement',
    },
  ],
  'flow-key-made': [onBot({ flow: 'orders', before: 'ends now' }, flow, 'Orders')],
  'flow-key-ended': [onBot({ flow: 'orders' }, flow, 'Orders')],
  'flow-created': [onBot({ flow: 'orders', members: 'name, webhook' }, flow, 'Orders')],
  'flow-removed': [onBot({ flow: 'gone', name: 'Returns' }, '/bots/bot-1', 'Returns')],
  'runtime-made': [
    onBot({ runtime: 'attic' }, '/bots/bot-1/runtimes#runtime-attic', 'Attic'),
    { detail: { runtime: 'attic' }, name: 'Attic', link: '/bots' },
  ],
  'runtime-removed': [{ detail: { runtime: 'gone', name: 'Cellar' }, name: 'Cellar' }],
  'runtime-key-made': [onBot({ runtime: 'attic' }, '/bots/bot-1/runtimes#runtime-attic', 'Attic')],
  'runtime-key-ended': [onBot({ runtime: 'attic' }, '/bots/bot-1/runtimes#runtime-attic', 'Attic')],
  'bot-changed': [
    { ...onBot({ hosting: 'on, local' }), english: 'bot Weather on Location: Local' },
    onBot({ hosting: 'off' }),
    onBot({ status: 'not public' }),
  ],
  'coworker-put': [
    {
      ...onBot(coworker, '/bots/bot-1/coworkers', 'Ed'),
      english: 'permissions on bot Weather Role: Editor. Extra permissions: View the contents',
    },
  ],
  'coworker-removed': [onBot({ coworker: 'ed' }, '/bots/bot-1/coworkers', 'Ed')],
  'coworker-invited': [onBot({ role: 'viewer', capabilities: '' })],
  'invitation-accepted': [onBot()],
  'invitation-ended': [onBot({ how: 'declined' }), onBot({ how: 'revoked' })],
  'webhook-tested': [onBot({ flow: 'orders', event: 'ev1' }, event, 'Orders')],
  'events-replayed': [
    onBot({ events: '1', event: 'ev1' }, event),
    onBot({ events: '7', flow: 'orders' }, flow, 'Orders'),
  ],
  'events-discarded': [onBot({ events: '1', event: 'ev1' }, event), onBot({ events: '7' })],
  'events-tried-now': [onBot({ events: '1', event: 'ev1' }, event)],
  'personal-token-created': [onAccount('tokens', { ...token, scopes: 'bots.read' }, 'Deploy')],
  'personal-token-revoked': [onAccount('tokens', token, 'Deploy')],
  'subscription-created': [onAccount('subscriptions/hooks', { subscription: 'hooks' }, 'hooks.example')],
  'subscription-changed': [onAccount('subscriptions/hooks', { subscription: 'hooks' }, 'hooks.example')],
  'subscription-secret-rotated': [onAccount('subscriptions/hooks', { subscription: 'hooks' }, 'hooks.example')],
  'subscription-removed': [{ detail: { subscription: 'x', host: 'gone.example' }, name: 'gone.example' }],
  // The calls are in a test of their own.
  provisioned: [],
  // Belongs to no account.
  'operator-key-rejected': [],
}

function onAccount(page: string, detail: Record<string, string> = {}, name = ''): Example {
  return { detail, name, link: `/account/${page}` }
}

function onAcme(detail: Record<string, string> = {}): Example {
  return { on: 'acme', detail, name: 'Acme Dashboard', link: '/apps/acme' }
}

function onBot(detail: Record<string, string> = {}, link = '/bots/bot-1', name = 'Weather'): Example {
  return { on: 'bot-1', detail, name, link }
}

describe('our choice: entries of the activity name and link their object', () => {
  for (const language of ['en', 'de']) {
    test(`every kind of entry names its object, links to it and has no internal names (${language})`, async (t) => {
      const { world, runtimeId } = await openObjects(t)
      const browser = await signedIn(world)
      await browser.get(`${world.baseUrl}/appearance/language/${language}`)
      const named = (text: string) => text.replace('attic', runtimeId)
      const origin = { address: '192.0.2.1', userAgent: undefined }
      for (const [kind, all] of Object.entries(examples)) {
        for (const { actor = 'user', on, detail, name = '', english = '', link } of all) {
          const ids = { ...(on === 'acme' ? { applicationId: on } : { botId: on }), userId: 'ada' } as object
          const about = detail && JSON.parse(named(JSON.stringify(detail)))
          await world.service.audit.record({ kind: kind as AuditKind, actor, origin, ...ids, detail: about })
          const { text, links } = await newestEntry(world, browser)
          for (const part of [name, language === 'en' ? english : ''])
            assert.ok(text.includes(part), `${kind}: ${text}`)
          const wanted = on === 'acme' ? `${world.portalUrl}${link}` : named(link ?? '')
          if (link !== undefined) assert.ok(links.includes(wanted), `${kind}: ${links}`)
          assertNoInternalNames(text, `${kind} (${language})`)
        }
      }
    })

    test(`every call of the control API about a user or application is described without names of members (${language})`, async (t) => {
      const { world } = await openObjects(t)
      const browser = await signedIn(world)
      await browser.get(`${world.baseUrl}/appearance/language/${language}`)
      await browser.visit(world.portalUrl, world)
      await browser.get(`${world.portalUrl}/appearance/language/${language}`)
      const calls = await auditedCalls(world)
      assert.ok(calls.length > 12, String(calls.length))
      for (const { call, path, members } of calls) {
        const ids = {
          ...(path.includes('{userId}') && { userId: 'ada' }),
          ...(path.includes('{applicationId}') && { applicationId: 'acme' }),
          ...(path.includes('{botId}') && { botId: 'bot-1' }),
        } as object
        const detail = { call, outcome: 'changed', ...(members !== '' && { members }) }
        const origin = { address: '192.0.2.1', userAgent: undefined }
        await world.service.audit.record({ kind: 'provisioned', actor: 'operator', origin, ...ids, detail })
        const { text, links } = path.includes('{userId}')
          ? await newestEntry(world, browser)
          : await newestEntry(world, browser, `${world.portalUrl}/apps/acme/activity`)
        assert.doesNotMatch(text, /a record|einen Eintrag|another setting|eine weitere Einstellung/, call)
        assert.ok(links.length > 0, `${call}: ${text}`)
        assertNoInternalNames(text, `${call} (${language})`)
        if (path.includes('{botId}')) assert.match(text, /Weather/, call)
        if (path.includes('{applicationId}')) assert.match(text, /Acme Dashboard/, call)
      }
    })
  }

  test('changes on pages and by the operator name the collaborator, the flow and the bot', async (t) => {
    const { world, as, at } = await openBot(t, { OWNER_FLOWS: 'on' })
    const owner = await as('ada')
    const flowForm = { name: 'Orders', path: 'orders' }
    assert.equal((await send(owner, world, '/bots/bot-1/flows', flowForm)).status, 200)
    const id = /href="\/bots\/bot-1\/flows\/(\w+)"/.exec((await owner.get(at('/bots/bot-1/flows'))).text)?.[1]
    assert.equal((await send(owner, world, `/bots/bot-1/flows/${id}/taking`, { ordered: 'yes' })).status, 303)
    assert.equal((await send(owner, world, '/bots/bot-1/coworkers/ed', { role: 'viewer' })).status, 303)
    assert.equal((await send(owner, world, `/bots/bot-1/flows/${id}/removal`, {})).status, 303)
    await owner.get(at('/appearance/language/de'))
    const { text } = await owner.get(at('/account/activity'))
    assert.deepEqual(titlesIn(text).slice(0, 4), [
      'Sie haben den Flow Orders von Bot Weather entfernt',
      'Sie haben die Rechte von Benutzer Ed für Bot Weather festgelegt',
      'Sie haben die Einstellungen des Flows Orders von Bot Weather geändert',
      'Sie haben den Flow Orders von Bot Weather erstellt',
    ])
    const editor = await as('ed')
    assert.equal(
      titlesIn((await editor.get(at('/account/activity'))).text)[1],
      'The operator created your access to bot Weather',
    )
    const [, link] =
      /(?:your access to bot )<a href="([^"]*)"/.exec((await editor.get(at('/account/activity'))).text) ?? []
    assert.equal(link, '/bots/bot-1')
  })

  test('an object that the reader may no longer open is not linked, and has its ID instead of its name', async (t) => {
    const { world, as, at } = await openBot(t)
    await provision(world, 'DELETE', '/v1/bots/bot-1/coworkers/ed')
    await provision(world, 'PUT', '/v1/bots/bot-1', {
      ownerId: 'ada',
      name: 'Secret',
      chatPlatformId: '123456789012345678',
    })
    const { text } = await (await as('ed')).get(at('/account/activity'))
    assert.ok(titlesIn(text).includes('The operator removed your access to bot bot-1'))
    assert.doesNotMatch(text, /Secret|href="\/bots\/bot-1/)
    await provision(world, 'DELETE', '/v1/bots/bot-1')
    assert.doesNotMatch((await (await as('ada')).get(at('/account/activity'))).text, /href="\/bots\/bot-1/)
  })
})

/** Opens a world in which Ada has an application, a bot with a flow, a runtime and a subscription. */
async function openObjects(t: TestContext): Promise<{ world: World; runtimeId: string }> {
  const { world } = await openBot(t)
  await adaWithClient(world)
  const put = (path: string, body: object) => provision(world, 'PUT', `/v1/${path}`, body)
  await put('bots/bot-1/flows/orders', { kind: 'event', name: 'Orders', webhook: { path: 'in', requiresKey: false } })
  await put('subscriptions/hooks', { ownerId: 'ada', url: 'https://hooks.example/x', types: ['bot.offline'] })
  const owner = await signedIn(world)
  const { text } = await send(owner, world, '/bots/bot-1/runtimes', { name: 'Attic', hosts: 'this' })
  return { world, runtimeId: /\/runtimes\/(\w+)\/key"/.exec(text)?.[1] ?? '' }
}

/** Returns the text of the newest entry, in one line, and where its links lead. */
async function newestEntry(world: World, browser: Browser, address = `${world.baseUrl}/account/activity`) {
  const { text } = await browser.get(address)
  const [, entry = ''] = /(?:newest first|neueste zuerst)[\s\S]*?<th scope="row"[^>]*>([\s\S]*?)<\/th>/.exec(text) ?? []
  return {
    text: entry
      .replace(/<svg[\s\S]*?<\/svg>/g, '')
      .replace(/<br>/g, ' ')
      .replace(/<[^>]+>/g, ''),
    links: [...entry.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href),
  }
}

/** Words that only programs use: members of requests, and values of details. */
const internalNames =
  /\b(?:[a-z]+[A-Z]\w*|ordered|dedupe|redirect_uris|members|editor|viewer|undefined|null|not public|ends now|client race|theft)\b/

function assertNoInternalNames(text: string, about: string) {
  assert.doesNotMatch(text, internalNames, about)
  if (about.endsWith('(de)'))
    assert.doesNotMatch(text, /\b(?:name|email|password|role|signature|webhook|on|off)\b/, about)
}

/** Returns the audited calls of the control API that are about a user or an application. */
async function auditedCalls({ controlUrl }: World): Promise<{ call: string; path: string; members: string }[]> {
  const document = await (await fetch(`${controlUrl}/openapi.json`)).json()
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''])
  const membersOf = (schema: Schema | undefined): string[] => {
    if (schema === undefined) return []
    const { properties = {}, anyOf = [] } = resolved(schema)
    return [...Object.keys(properties), ...anyOf.flatMap(membersOf)]
  }
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, requestBody }]) => {
      const isAudited = method !== 'get' || operationId === 'exportUser'
      if (!isAudited || !/\{(?:userId|applicationId)\}/.test(path)) return []
      const members = membersOf(requestBody?.content['application/json'].schema).join(', ')
      return [{ call: operationId, path, members }]
    }),
  )
}

interface Schema {
  $ref?: string
  properties?: object
  anyOf?: Schema[]
}

interface Operation {
  operationId: string
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

function titlesIn(text: string): string[] {
  const [, table = ''] = /(?:newest first|neueste zuerst)([\s\S]*?)<\/table>/.exec(text) ?? []
  return [...table.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = '']) =>
    cell.replace(/<br>[\s\S]*/, '').replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ''),
  )
}
