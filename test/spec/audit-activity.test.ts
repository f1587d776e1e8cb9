import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { AuditActor, AuditKind } from '../../src/domain/audit/audit.ts'
import { openAudit } from '../support/audit.ts'
import { documentAt, operationsOf, resolved, type Schema } from '../support/openapi.ts'
import {
  aClient,
  ada,
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
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

const bob = { email: 'bob@example.com', password: 'harbour gate 12' }

/** Opens a world with Ada’s application, and signs in Ada and Bob. */
async function openReaders(t: TestContext) {
  const { world, client } = await openAudit(t)
  await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', ...bob })
  const read = async (browser: Browser) => (await browser.get(`${world.baseUrl}/account/activity`)).text
  return { world, client, read, ofBob: await signedIn(world, bob), ofAda: await signedIn(world) }
}

describe('Activity pages', () => {
  test('the Activity tab shows a user’s own events and no other user’s; our choice: 20 on a page, with a link to older ones if there are any', async (t) => {
    const { world, client, read, ofBob, ofAda } = await openReaders(t)
    await codeFor(world, ofAda, client)
    await signIn(world, { ...ada, password: 'not her password' })
    const ofEveryUser = ['You signed in', 'The operator created the account']
    const own = ['A sign-in failed', 'You granted access to Acme Dashboard', ...ofEveryUser]
    assert.deepEqual([titlesIn(await read(ofAda)), titlesIn(await read(ofBob))], [own, ofEveryUser])
    assert.equal((await new Browser().get(`${world.baseUrl}/account/activity`)).location?.pathname, '/sign-in')

    const origin = { address: '192.0.2.1', userAgent: undefined }
    for (let event = 0; event < 38; event += 1) {
      await world.service.audit.record({ kind: 'sign-in', actor: 'user', userId: 'bob' as never, origin })
    }
    const first = await ofBob.get(`${world.baseUrl}/account/activity`)
    const last = await ofBob.openLink(first, 'Earlier')
    assert.deepEqual([titlesIn(first.text).length, titlesIn(last.text).length], [20, 20])
    assert.doesNotMatch(last.text, />Earlier</)
  })

  test('the owner sees the application’s events; our choice: the addresses and browsers of its users are hidden', async (t) => {
    const { world, client, read, ofBob, ofAda } = await openReaders(t)
    const tokens = await redeem(world, client, await codeFor(world, ofBob, client))
    await refresh(world, client, tokens.json.refresh_token, {}, { 'user-agent': 'acme-server/1' })
    await refresh(world, client, tokens.json.refresh_token, {}, { 'user-agent': 'thief/1' })
    const { text } = await ofAda.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.deepEqual(titlesIn(text), [
      'A used refresh token for Acme Dashboard was presented again',
      'User bob granted access to Acme Dashboard',
      'The operator created the application Acme Dashboard',
    ])
    assert.deepEqual([text.match(/Hidden/g)?.length, text.match(/>thief\/1/g)?.length], [2, 1])
    for (const shown of [text, await read(ofBob)]) assert.match(shown, /Probably stolen/)
    assert.equal((await ofBob.visit(`${world.portalUrl}/apps/acme/activity`, world)).status, 404)
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
    test(`every kind of entry, and every call of the control API about a user or application, names its object, links to it and has no internal names (${language})`, async (t) => {
      const { world, browser, runtimeId } = await openObjects(t)
      await browser.visit(world.portalUrl, world)
      for (const url of [world.baseUrl, world.portalUrl]) await browser.get(`${url}/appearance/language/${language}`)
      const named = (text: string) => text.replace('attic', runtimeId)
      /** Records an event about Ada. Returns its entry on her activity page, or on the given one. */
      const entryOf = async (about: object, page = `${world.baseUrl}/account/activity`) => {
        const origin = { address: '192.0.2.1', userAgent: undefined }
        await world.service.audit.record({ actor: 'user', origin, ...JSON.parse(named(JSON.stringify(about))) })
        const [entry = assert.fail()] = entriesIn((await browser.get(page)).text)
        assertNoInternalNames(entry.text, `${JSON.stringify(about)} (${language})`)
        return entry
      }
      for (const [kind, all] of Object.entries(examples)) {
        for (const { actor = 'user', on, detail, name = '', english = '', link } of all) {
          const object = on === 'acme' ? { applicationId: on } : { botId: on }
          const { text, links } = await entryOf({ kind, actor, userId: 'ada', ...object, detail })
          for (const part of [name, language === 'en' ? english : ''])
            assert.ok(text.includes(part), `${kind}: ${text}`)
          const wanted = on === 'acme' ? `${world.portalUrl}${link}` : named(link ?? '')
          if (link !== undefined) assert.ok(links.includes(wanted), `${kind}: ${links}`)
        }
      }

      const calls = await auditedCalls(world)
      assert.ok(calls.length > 12, String(calls.length))
      for (const { call, path, members } of calls) {
        const detail = { call, outcome: 'changed', ...(members !== '' && { members }) }
        const isOfUser = path.includes('{userId}')
        const { text, links } = await entryOf(
          {
            ...{ kind: 'provisioned', actor: 'operator', detail },
            ...(isOfUser && { userId: 'ada' }),
            ...(path.includes('{applicationId}') && { applicationId: 'acme' }),
            ...(path.includes('{botId}') && { botId: 'bot-1' }),
          },
          isOfUser ? undefined : `${world.portalUrl}/apps/acme/activity`,
        )
        assert.doesNotMatch(text, /a record|einen Eintrag|another setting|eine weitere Einstellung/, call)
        assert.ok(links.length > 0, `${call}: ${text}`)
        if (path.includes('{botId}')) assert.match(text, /Weather/, call)
        if (path.includes('{applicationId}')) assert.match(text, /Acme Dashboard/, call)
      }
    })
  }

  test('changes on pages and by the operator name the collaborator, the flow and the bot', async (t) => {
    const { world, ada, as, at } = await openBot(t, { OWNER_FLOWS: 'on' })
    assert.equal((await send(ada, world, '/bots/bot-1/flows', { name: 'Orders', path: 'orders' })).status, 200)
    const { pathname } = new URL((await ada.openLink(await ada.get(at('/bots/bot-1/flows')), 'Orders')).url)
    assert.equal((await send(ada, world, `${pathname}/taking`, { ordered: 'yes' })).status, 303)
    assert.equal((await send(ada, world, '/bots/bot-1/coworkers/ed', { role: 'viewer' })).status, 303)
    assert.equal((await send(ada, world, `${pathname}/removal`, {})).status, 303)
    await ada.get(at('/appearance/language/de'))
    const { text } = await ada.get(at('/account/activity'))
    assert.deepEqual(titlesIn(text).slice(0, 4), [
      'Sie haben den Flow Orders von Bot Weather entfernt',
      'Sie haben die Rechte von Benutzer Ed für Bot Weather festgelegt',
      'Sie haben die Einstellungen des Flows Orders von Bot Weather geändert',
      'Sie haben den Flow Orders von Bot Weather erstellt',
    ])
    const [, entry] = entriesIn((await (await as('ed')).get(at('/account/activity'))).text)
    assert.equal(entry?.title, 'The operator created your access to bot Weather')
    assert.ok(entry.links.includes('/bots/bot-1'))
  })

  test('an object that the reader may no longer open is not linked, and has its ID instead of its name', async (t) => {
    const { world, ada, as, at, putBot } = await openBot(t)
    await provision(world, 'DELETE', '/v1/bots/bot-1/coworkers/ed')
    await putBot({ name: 'Secret' })
    const { text } = await (await as('ed')).get(at('/account/activity'))
    assert.ok(titlesIn(text).includes('The operator removed your access to bot bot-1'))
    assert.doesNotMatch(text, /Secret|href="\/bots\/bot-1/)
    await provision(world, 'DELETE', '/v1/bots/bot-1')
    assert.doesNotMatch((await ada.get(at('/account/activity'))).text, /href="\/bots\/bot-1/)
  })
})

/** Opens a world in which Ada has an application, a bot with a flow, a runtime and a subscription. */
async function openObjects(t: TestContext) {
  const { world, ada, putFlow } = await openBot(t)
  await aClient(world, 'acme')
  await putFlow()
  const subscription = { ownerId: 'ada', url: 'https://hooks.example/x', types: ['bot.offline'] }
  await provision(world, 'PUT', '/v1/subscriptions/hooks', subscription)
  const { text } = await send(ada, world, '/bots/bot-1/runtimes', { name: 'Attic', hosts: 'this' })
  const [, runtimeId = assert.fail('no runtime was created')] = /\/runtimes\/(\w+)\/key"/.exec(text) ?? []
  return { world, browser: ada, runtimeId }
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
  const document = await documentAt(controlUrl)
  const membersOf = (schema: Schema): string[] => {
    const { properties = {}, anyOf = [] } = resolved<Schema>(schema, document)
    return [...Object.keys(properties), ...anyOf.flatMap(membersOf)]
  }
  return operationsOf(document).flatMap(({ path, method, operation: { operationId }, json }) => {
    const isAudited = method !== 'GET' || operationId === 'exportUser'
    if (!isAudited || !/\{(?:userId|applicationId)\}/.test(path)) return []
    return [{ call: operationId, path, members: membersOf(json ?? {}).join(', ') }]
  })
}

/** Returns the entries of an activity page: title, whole text, and where the links lead. */
function entriesIn(page: string): { title: string; text: string; links: (string | undefined)[] }[] {
  const [, table = ''] = /(?:newest first|neueste zuerst)([\s\S]*?)<\/table>/.exec(page) ?? []
  return [...table.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = '']) => {
    const [title = '', ...details] = cell.split('<br>').map((line) => line.replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ''))
    const links = [...cell.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)
    return { title, text: [title, ...details].join(' '), links }
  })
}

const titlesIn = (page: string) => pluck(entriesIn(page), 'title')
