import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AccessEnded, type NewAuditEvent, type Recording } from '../../src/domain/audit/audit.ts'
import { newId, type PersonalTokenId, parseSubscriptionId, type UserId } from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { type Database, raw, sql } from '../../src/storage/sql/sql.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import {
  aBot,
  acme,
  ada,
  aGrant,
  aKey,
  anApplication,
  anEmail,
  anEvent,
  anInvitation,
  aPasskey,
  aPersonalToken,
  aRuntime,
  aSession,
  aStoredRefreshToken,
  bob,
  botId,
  cleo,
  digest,
  flowId,
  newSession,
  nowMs,
  runtimeId,
  withAda,
} from './scene.ts'

type Stores = IdentityStores & { database: Database }

/** Arguments of a method before its {@link Recording}, which is the last one. `never` for other methods. */
type Before<Method> = Method extends (...args: infer Args) => unknown
  ? Required<Args> extends [...infer Others, (outcome: never) => NewAuditEvent | undefined]
    ? Others
    : never
  : never
type Writes<Store> = {
  [Name in keyof Store as Before<Store[Name]> extends never ? never : Name]: (
    scene: Scene,
  ) => Before<Store[Name]> | Promise<Before<Store[Name]>>
}
type AuditedWrites = {
  [Name in keyof IdentityStores as keyof Writes<IdentityStores[Name]> extends never ? never : Name]: Writes<
    IdentityStores[Name]
  >
}

const [one, hook, runtime] = [botId('one'), flowId('hook'), runtimeId('r1')]
const events = parseSubscriptionId('events')!
const expiresAtMs = nowMs + 60_000
const later = { nowMs, expiresAtMs }
const few = { atMost: 9, nowMs }
const endsAt = { endsAtMs: expiresAtMs }
const chat = { provider: 'code-hosting', issuer: 'https://code.example', subject: '42', name: 'ada' } as const
const inUse = [{ key: chat.provider, issuer: chat.issuer }]
const selected = { url: 'https://events.example/', types: ['bot.offline'], format: 'standard', language: 'en' } as const

/** The arguments of a call of each audited method that changes something in the scene. The type lets none be missing. */
const writes: AuditedWrites = {
  users: {
    setPin: () => [ada, 'pin', { sessionNumber: 1, untilMs: expiresAtMs }, nowMs],
    changePassword: () => [{ userId: ada, from: 'ada-password', to: 'new', keptSession: 1 }, nowMs],
    changeEmail: () => [ada, anEmail('new@example.com'), nowMs],
  },
  sessions: {
    addSession: ({ spareSession }) => [spareSession, null, 9],
    endSessionOf: ({ session }) => [ada, session],
    endOtherSessions: ({ session }) => [ada, session],
  },
  links: {
    resetPassword: () => [digest('reset'), { passwordHash: 'new', removesAccess: false }, nowMs],
    setPin: () => [digest('pin'), 'pin', nowMs],
    verifyEmail: () => [digest('verify'), undefined, 'en', nowMs],
  },
  personalTokens: {
    addToken: () => [aPersonalToken(2), 9],
    removeToken: () => [ada, aPersonalToken(1).id],
  },
  passkeys: {
    addPasskey: () => [aPasskey('second'), 9, nowMs],
    removePasskey: ({ passkey }) => [ada, passkey, inUse],
  },
  linkedAccounts: {
    link: () => [bob, { ...chat, subject: '43' }, nowMs],
    unlink: () => [ada, chat.provider, inUse],
  },
  applications: {
    addApplication: () => [anApplication('second'), aKey('another')],
    changeApplication: () => [acme, ada, { ...anApplication('acme'), name: 'New' }, nowMs],
    addRedirectUri: () => [acme, ada, 'https://acme.example/added', nowMs],
    replaceSecrets: () => [acme, ada, aKey('another'), nowMs],
    addSecret: () => [acme, ada, { ...aKey('another'), label: 'third' }, few],
    removeSecret: ({ clientSecret }) => [acme, ada, clientSecret],
    deleteApplication: () => [acme, ada, nowMs],
  },
  grants: {
    issueCode: async ({ grants }) => [await aGrant(grants), nowMs],
    revokeFamily: ({ token }) => [token.row, 'code-replay', nowMs],
    revokeByRefreshToken: ({ token }) => [token, acme, nowMs],
    revokeAccessToken: ({ accessToken }) => [accessToken, undefined, nowMs],
    withdrawConsent: () => [ada, acme, nowMs],
  },
  bots: {
    changeSwitches: () => [one, { publicStatus: true }, nowMs],
    putCollaborator: () => [one, aCoworker(cleo)],
    removeCollaborator: () => [one, bob],
  },
  flows: {
    putFlow: () => [one, hook, { kind: 'event', name: 'New' }, nowMs],
    replaceKey: () => [one, hook, aKey('another'), endsAt, nowMs],
    endKey: ({ flowKey }) => [one, hook, flowKey, nowMs],
    removeFlow: () => [one, hook],
  },
  invitations: {
    addInvitation: () => [anInvitation('third'), few],
    acceptInvitation: () => [digest('open'), cleo, later],
    declineInvitation: () => [digest('open'), cleo, nowMs],
    revokeInvitation: ({ accepted }) => [one, accepted],
    confirmInvitation: ({ accepted }) => [one, accepted, cleo, nowMs],
  },
  runtimes: {
    addRuntime: () => [aRuntime('r2'), aKey('new runtime'), 9, nowMs],
    replaceKey: () => [runtime, ada, aKey('another'), endsAt, nowMs],
    endKey: ({ runtimeKey }) => [runtime, ada, runtimeKey, nowMs],
    removeRuntime: () => [runtime, ada],
  },
  subscriptions: {
    add: () => [aSubscription('second'), { most: 9, nowMs }],
    change: () => [events, ada, { ...selected, url: 'https://new.example/' }],
    rotateSecret: () => [events, ada, { sealed: digest('new'), previousEndsAtMs: expiresAtMs }],
    remove: () => [events, ada],
  },
}

const tables =
  `users sessions one_time_links outgoing_mail personal_tokens passkeys linked_accounts applications client_secrets
  token_families access_tokens consents bots coworkers flows flow_keys invitations runtimes runtime_keys
  subscriptions audit_reader`.split(/\s+/)

onEachDatabase('audited writes', empty, (open) => {
  for (const [store, methods] of Object.entries(writes)) {
    for (const [method, before] of Object.entries(methods)) {
      test(`${store}.${method} is stored with its audit event, or not at all, as if what authenticated it has ended`, async (t) => {
        const scene = await openScene(t, open)
        const audited = scene[store as keyof AuditedWrites] as unknown as Record<
          string,
          (...args: unknown[]) => unknown
        >
        const write = async (recording: Recording<unknown>) => audited[method]?.(...(await before(scene)), recording)
        const unchanged = await contents(scene)
        await assert.rejects(write(() => unstorableEvent))
        await assert.rejects(
          write(() => {
            throw new Error('no event')
          }),
          /no event/,
        )
        for (const by of [99, newId<PersonalTokenId>()])
          await assert.rejects(
            write(() => ({ ...anEvent(nowMs), by })),
            AccessEnded,
          )
        assert.deepEqual(await contents(scene), unchanged)

        const outcomes: unknown[] = []
        const outcome = await write((outcome) => {
          outcomes.push(outcome)
          return anEvent(nowMs)
        })
        assert.deepEqual(outcomes, [outcome])
        assert.notDeepEqual(await contents(scene), unchanged)
        const events = await scene.audit.listAfter(0, 10)
        const unnumbered = events.map(({ number, ...event }) => event)
        assert.deepEqual(unnumbered, [anEvent(nowMs)])
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
  await stores.personalTokens.addToken(aPersonalToken(1), 9)
  await passkeys.addPasskey(aPasskey('first'), 9, nowMs)
  const passkey = (await passkeys.listPasskeys(ada))[0]!.number
  await linkedAccounts.link(ada, chat, nowMs)

  await applications.addApplication(anApplication('acme'), aKey('first'))
  await applications.addSecret(acme, ada, { ...aKey('second'), label: 'second' }, few)
  const clientSecret = (await applications.findById(acme))!.secrets[0]!.number
  const { token, accessNumber, accessDigest } = await aStoredRefreshToken(grants)
  const accessToken = { row: accessNumber, generation: 0, digest: accessDigest }

  await bots.putBot(one, aBot(1), nowMs)
  await bots.putCollaborator(one, aCoworker(bob))
  const webhook = { path: 'in', requiresKey: false, key: aKey('flow'), spareKey: aKey('spare') }
  await flows.putFlow(one, hook, { kind: 'event', name: 'Hook', webhook }, nowMs)
  const flowKey = (await flows.findFlow(one, hook))!.webhook!.keys[0]!.number
  for (const token of ['open', 'accepted']) await stores.invitations.addInvitation(anInvitation(token), few)
  await stores.invitations.acceptInvitation(digest('accepted'), cleo, later)
  const listed = await stores.invitations.listInvitations(one, nowMs)
  const accepted = listed.find(({ accepter }) => accepter !== undefined)!.number
  await runtimes.addRuntime(aRuntime('r1'), aKey('runtime'), 9, nowMs)
  const runtimeKey = (await runtimes.findRuntime(runtime, ada))!.keys[0]!.number
  await runtimes.replaceKey(runtime, ada, aKey('newer runtime'), endsAt, nowMs)
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

/** An event that the database rejects. */
const unstorableEvent: NewAuditEvent = { ...anEvent(0), actor: 'somebody' as 'nobody' }

function aSubscription(id: string) {
  return { id: parseSubscriptionId(id)!, ownerId: ada, ...selected, sealedSecret: digest(id) }
}

function aCoworker(userId: UserId) {
  return { userId, role: 'editor' as const, capabilities: [] }
}
