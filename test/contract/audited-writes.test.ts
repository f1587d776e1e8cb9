import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewAuditEvent, Recording } from '../../src/domain/audit/audit.ts'
import {
  parseApplicationId,
  parsePersonalTokenId,
  parseSubscriptionId,
  Secrets,
} from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { type Database, raw, sql } from '../../src/storage/sql/sql.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { anEvent, unstorableEvent } from './audit-scene.ts'
import { aBot, botId, flowId, nowMs, runtimeId, userId } from './bot-stores.ts'
import { aGrant, aStoredRefreshToken } from './grant-scene.ts'
import { anApplication, aSession, newSession, withAda } from './people-stores.ts'

type Stores = IdentityStores & { database: Database }

/** Names of the store methods whose last parameter is a {@link Recording}. */
type Audited<Store> = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => unknown
    ? Required<Args> extends [...unknown[], (outcome: never) => NewAuditEvent | undefined]
      ? Name
      : never
    : never
}[keyof Store]
type AuditedStores = {
  [Name in keyof IdentityStores as Audited<IdentityStores[Name]> extends never ? never : Name]: Record<
    Audited<IdentityStores[Name]>,
    (scene: Scene, recording: Recording<unknown>) => Promise<unknown>
  >
}

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const [ada, bob, cleo] = [userId('ada'), userId('bob'), userId('cleo')]
const [acme, one, hook, runtime] = [parseApplicationId('acme')!, botId('one'), flowId('hook'), runtimeId('r1')]
const events = parseSubscriptionId('events')!
const expiresAtMs = nowMs + 60_000
const unlocking = { sessionNumber: 1, untilMs: expiresAtMs }
const chat = { provider: 'code-hosting', issuer: 'https://code.example', subject: '42', name: 'ada' } as const
const inUse = [{ key: chat.provider, issuer: chat.issuer }]

/** One call of each audited method. Each call changes something in the scene. The type ensures that none is missing. */
const writes: AuditedStores = {
  users: {
    setPin: ({ users }, recording) => users.setPin(ada, 'pin', unlocking, nowMs, recording),
    changePassword: ({ users }, recording) =>
      users.changePassword({ userId: ada, from: 'ada-password', to: 'new', keptSession: 1 }, nowMs, recording),
    changeEmail: ({ users }, recording) => users.changeEmail(ada, anEmail('new@example.com'), nowMs, recording),
  },
  sessions: {
    addSession: (scene, recording) => scene.sessions.addSession(scene.spareSession, null, 9, recording),
    endSessionOf: (scene, recording) => scene.sessions.endSessionOf(ada, scene.session, recording),
    endOtherSessions: (scene, recording) => scene.sessions.endOtherSessions(ada, scene.session, recording),
  },
  links: {
    resetPassword: ({ links }, recording) =>
      links.resetPassword(digest('reset'), { passwordHash: 'new', removesAccess: false }, nowMs, recording),
    setPin: ({ links }, recording) => links.setPin(digest('pin'), 'pin', nowMs, recording),
    verifyEmail: ({ links }, recording) => links.verifyEmail(digest('verify'), undefined, 'en', nowMs, recording),
  },
  personalTokens: {
    addToken: (scene, recording) => scene.personalTokens.addToken(aPersonalToken(2), scene.session, 9, recording),
    removeToken: ({ personalTokens }, recording) => personalTokens.removeToken(ada, aPersonalToken(1).id, recording),
  },
  passkeys: {
    addPasskey: ({ passkeys }, recording) => passkeys.addPasskey(aPasskey('second'), 9, nowMs, recording),
    removePasskey: (scene, recording) => scene.passkeys.removePasskey(ada, scene.passkey, inUse, recording),
  },
  linkedAccounts: {
    link: ({ linkedAccounts }, recording) => linkedAccounts.link(bob, { ...chat, subject: '43' }, nowMs, recording),
    unlink: ({ linkedAccounts }, recording) => linkedAccounts.unlink(ada, chat.provider, inUse, recording),
  },
  applications: {
    addApplication: ({ applications }, recording) =>
      applications.addApplication(anApplication('second'), aKey('s'), recording),
    changeApplication: ({ applications }, recording) =>
      applications.changeApplication(acme, ada, { ...anApplication('acme'), name: 'New' }, nowMs, recording),
    addRedirectUri: ({ applications }, recording) =>
      applications.addRedirectUri(acme, ada, 'https://acme.example/added', nowMs, recording),
    replaceSecrets: ({ applications }, recording) =>
      applications.replaceSecrets(acme, ada, aKey('s'), nowMs, recording),
    addSecret: ({ applications }, recording) =>
      applications.addSecret(acme, ada, { ...aKey('s'), label: 'third' }, { atMost: 9, nowMs }, recording),
    removeSecret: (scene, recording) => scene.applications.removeSecret(acme, ada, scene.clientSecret, recording),
    deleteApplication: ({ applications }, recording) => applications.deleteApplication(acme, ada, nowMs, recording),
  },
  grants: {
    issueCode: async ({ grants }, recording) => grants.issueCode(await aGrant(grants), nowMs, recording),
    revokeFamily: ({ grants, token }, recording) => grants.revokeFamily(token.row, 'code-replay', nowMs, recording),
    revokeByRefreshToken: ({ grants, token }, recording) => grants.revokeByRefreshToken(token, acme, nowMs, recording),
    revokeAccessToken: ({ grants, accessToken }, recording) =>
      grants.revokeAccessToken(accessToken, undefined, nowMs, recording),
    withdrawConsent: ({ grants }, recording) => grants.withdrawConsent(ada, acme, nowMs, recording),
  },
  bots: {
    changeSwitches: ({ bots }, recording) => bots.changeSwitches(one, { publicStatus: true }, nowMs, recording),
    putCollaborator: ({ bots }, recording) => bots.putCollaborator(one, aCoworker('cleo'), recording),
    removeCollaborator: ({ bots }, recording) => bots.removeCollaborator(one, bob, recording),
  },
  flows: {
    putFlow: ({ flows }, recording) => flows.putFlow(one, hook, { kind: 'event', name: 'New' }, nowMs, recording),
    replaceKey: ({ flows }, recording) =>
      flows.replaceKey(one, hook, aKey('k'), { endsAtMs: expiresAtMs }, nowMs, recording),
    endKey: (scene, recording) => scene.flows.endKey(one, hook, scene.flowKey, nowMs, recording),
    removeFlow: ({ flows }, recording) => flows.removeFlow(one, hook, recording),
  },
  invitations: {
    addInvitation: ({ invitations }, recording) =>
      invitations.addInvitation(anInvitation('third'), { atMost: 9, nowMs }, recording),
    acceptInvitation: ({ invitations }, recording) =>
      invitations.acceptInvitation(digest('open'), cleo, { nowMs, expiresAtMs }, recording),
    declineInvitation: ({ invitations }, recording) =>
      invitations.declineInvitation(digest('open'), cleo, nowMs, recording),
    revokeInvitation: ({ invitations, accepted }, recording) => invitations.revokeInvitation(one, accepted, recording),
    confirmInvitation: ({ invitations, accepted }, recording) =>
      invitations.confirmInvitation(one, accepted, cleo, nowMs, recording),
  },
  runtimes: {
    addRuntime: ({ runtimes }, recording) =>
      runtimes.addRuntime(aRuntime('r2'), aKey('new runtime'), 9, nowMs, recording),
    replaceKey: ({ runtimes }, recording) =>
      runtimes.replaceKey(runtime, ada, aKey('k'), { endsAtMs: expiresAtMs }, nowMs, recording),
    endKey: (scene, recording) => scene.runtimes.endKey(runtime, ada, scene.runtimeKey, nowMs, recording),
    removeRuntime: ({ runtimes }, recording) => runtimes.removeRuntime(runtime, ada, recording),
  },
  subscriptions: {
    add: ({ subscriptions }, recording) => subscriptions.add(aSubscription('second'), { most: 9, nowMs }, recording),
    change: ({ subscriptions }, recording) =>
      subscriptions.change(
        events,
        ada,
        { url: 'https://new.example/', types: ['bot.online'], format: 'standard', language: 'en' },
        recording,
      ),
    rotateSecret: ({ subscriptions }, recording) =>
      subscriptions.rotateSecret(events, ada, { sealed: digest('new'), previousEndsAtMs: expiresAtMs }, recording),
    remove: ({ subscriptions }, recording) => subscriptions.remove(events, ada, recording),
  },
}

const tables =
  `users sessions one_time_links outgoing_mail personal_tokens passkeys linked_accounts applications client_secrets
  token_families access_tokens consents bots coworkers flows flow_keys invitations runtimes runtime_keys
  subscriptions audit_reader`.split(/\s+/)

onEachDatabase('audited writes', empty, (open) => {
  for (const [store, methods] of Object.entries(writes)) {
    for (const [method, write] of Object.entries(methods)) {
      test(`${store}.${method} is stored with its audit event, or not at all`, async (t) => {
        const scene = await openScene(t, open)
        const before = await contents(scene)
        await assert.rejects(write(scene, () => unstorableEvent))
        await assert.rejects(
          write(scene, () => {
            throw new Error('no event')
          }),
          /no event/,
        )
        assert.deepEqual(await contents(scene), before)

        const outcomes: unknown[] = []
        const outcome = await write(scene, (outcome) => {
          outcomes.push(outcome)
          return anEvent(nowMs)
        })
        assert.deepEqual(outcomes, [outcome])
        assert.notDeepEqual(await contents(scene), before)
        const events = await scene.audit.listAfter(0, 10)
        assert.deepEqual(
          events.map(({ number, ...event }) => event),
          [anEvent(nowMs)],
        )
      })
    }
  }
})

type Scene = Awaited<ReturnType<typeof openScene>>

async function openScene(t: TestContext, open: (t: TestContext) => Promise<Stores>) {
  const stores = await open(t)
  const { users, sessions, links, passkeys, linkedAccounts, applications, grants, bots, flows, runtimes } = stores
  await withAda(stores)
  for (const id of [bob, cleo]) await users.putUser(id, { name: id }, nowMs)

  const [session] = [await aSession(stores, { expiresAtMs }), await aSession(stores, { expiresAtMs })]
  const spareSession = await newSession(sessions, { expiresAtMs })
  const link = { userId: ada, expiresAtMs }
  await links.putLink({ ...link, purpose: 'reset-password', digest: digest('reset'), emailKey: 'ada@example.com' })
  await links.putLink({ ...link, purpose: 'set-pin', digest: digest('pin'), emailKey: null })
  await links.putLink({ ...link, purpose: 'verify-email', digest: digest('verify'), emailKey: 'ada@example.com' })
  await stores.personalTokens.addToken(aPersonalToken(1), session, 9)
  await passkeys.addPasskey(aPasskey('first'), 9, nowMs)
  const passkey = (await passkeys.listPasskeys(ada))[0]!.number
  await linkedAccounts.link(ada, chat, nowMs)

  await applications.addApplication(anApplication('acme'), aKey('first'))
  await applications.addSecret(acme, ada, { ...aKey('second'), label: 'second' }, { atMost: 9, nowMs })
  const clientSecret = (await applications.findById(acme))!.secrets[0]!.number
  const { token, accessNumber, accessDigest } = await aStoredRefreshToken(grants)
  const accessToken = { row: accessNumber, generation: 0, digest: accessDigest }

  await bots.putBot(one, aBot(1), nowMs)
  await bots.putCollaborator(one, aCoworker('bob'))
  const webhook = { path: 'in', requiresKey: false, key: aKey('flow'), spareKey: aKey('spare') }
  await flows.putFlow(one, hook, { kind: 'event', name: 'Hook', webhook }, nowMs)
  const flowKey = (await flows.findFlow(one, hook))!.webhook!.keys[0]!.number
  for (const token of ['open', 'accepted']) {
    await stores.invitations.addInvitation(anInvitation(token), { atMost: 9, nowMs })
  }
  await stores.invitations.acceptInvitation(digest('accepted'), cleo, { nowMs, expiresAtMs })
  const listed = await stores.invitations.listInvitations(one, nowMs)
  const accepted = listed.find(({ accepter }) => accepter !== undefined)!.number
  await runtimes.addRuntime(aRuntime('r1'), aKey('runtime'), 9, nowMs)
  const runtimeKey = (await runtimes.findRuntime(runtime, ada))!.keys[0]!.number
  await runtimes.replaceKey(runtime, ada, aKey('newer runtime'), { endsAtMs: expiresAtMs }, nowMs)
  await stores.subscriptions.add(aSubscription('events'), { most: 9, nowMs })
  return {
    ...stores,
    ...{ session, spareSession, passkey, clientSecret, token, accessToken, flowKey, accepted, runtimeKey },
  }
}

/** Returns every row of {@link tables}, sorted so that the order does not depend on the database. */
async function contents({ database }: Stores): Promise<string[][]> {
  const found = await Promise.all(
    tables.map((table) => database.read(() => sql`SELECT * FROM ${raw(table)}`.rows<object>())),
  )
  return found.map((table) => table.map((row) => JSON.stringify(row)).toSorted())
}

function digest(text: string) {
  return secrets.digest(text)
}

function aKey(text: string) {
  return { digest: digest(text), lastFour: 'abcd' }
}

function aSubscription(id: string) {
  const selected = {
    url: 'https://events.example/',
    types: ['bot.offline'],
    format: 'standard',
    language: 'en',
  } as const
  return { id: parseSubscriptionId(id)!, ownerId: ada, ...selected, sealedSecret: digest(id) }
}

function anEmail(address: string) {
  return { address, key: address }
}

function aPersonalToken(n: number) {
  const times = { createdAtMs: nowMs, expiresAtMs }
  const named = { id: parsePersonalTokenId(`token-${n}`)!, name: `Token ${n}`, scopes: ['bots.read'] as const }
  return { ...named, ...aKey(`token ${n}`), userId: ada, ...times }
}

function aPasskey(credentialId: string) {
  const key = { publicKey: new Uint8Array([1]), counter: 0, backupEligible: false, backedUp: false, transports: [] }
  return { credentialId, userId: ada, name: null, ...key }
}

function aCoworker(id: string) {
  return { userId: userId(id), role: 'editor' as const, capabilities: [] }
}

function anInvitation(token: string) {
  return { botId: one, label: token, role: 'editor' as const, capabilities: [], digest: digest(token), expiresAtMs }
}

function aRuntime(id: string) {
  return { id: runtimeId(id), name: id, ownerId: ada, botIds: [one] }
}
