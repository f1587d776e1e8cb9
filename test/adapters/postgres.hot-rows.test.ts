import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { Client } from 'pg'
import { QueuePool } from '../../src/dispatch/postgres/queue-pool.ts'
import type { NewGrant } from '../../src/domain/authorization/grant-store.ts'
import type { ApplicationId, UserId } from '../../src/domain/ids.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { Turns } from '../../src/domain/turns.ts'
import type { IdentityStores } from '../../src/store/identity-stores.ts'
import { postgresIdentity } from '../../src/store/postgres/postgres-identity.ts'
import { Primary } from '../../src/store/postgres/primary.ts'
import { RowWrites } from '../../src/store/postgres/row-writes.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { sqliteIdentity } from '../../src/store/sqlite/sqlite-identity.ts'
import { changes } from '../../src/store/work.ts'
import { aBot, aReport, botId, flowId, runtimeId } from '../contract/bot-stores.ts'
import { openIdentityFile, withAdaAndAcme } from '../support/adapters/open-identity.ts'
import { budget } from '../support/budget.ts'
import { identityUrl, openIdentityDatabase, openIdentityNode } from '../support/postgres/identity.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const nowMs = 1_800_000_000_000
const [ada, acme] = ['ada' as UserId, 'acme' as ApplicationId]
const atOnce = 16
/** Writes of each row at each node; `GATEHOUSE_TEST_BUDGET=60` makes 12,000 of them. */
const writesPerNode = 200 * budget

interface HotRow {
  name: string
  /** Stores what the writes need. */
  prepare?: (stores: IdentityStores) => Promise<unknown>
  write: (stores: IdentityStores, index: number) => Promise<unknown>
}

const family = { digest: secrets.digest('code') }
const bot = botId('one')
const hook = flowId('hook')
const runtime = runtimeId('r1')
const unlocking = { sessionNumber: 1, untilMs: nowMs }
const aKey = (index: number) => ({ digest: secrets.digest(`key ${index} ${Math.random()}`), lastFour: 'last' })
const withBot = ({ bots }: IdentityStores) => bots.putBot(bot, aBot(1), nowMs)
const browser = secrets.digest('browser')
const application = {
  name: 'Acme',
  websiteUrl: 'https://a.example',
  environment: 'production',
  redirectUris: [],
} as const

const hotRows: HotRow[] = [
  {
    name: 'the consent of one user to one application',
    write: async ({ grants }, index) => grants.issueCode(await aGrant(grants, [`s${index % 7}`]), nowMs),
  },
  {
    name: 'a consent that is given and withdrawn',
    write: async ({ grants }, index) =>
      index % 4 === 3
        ? grants.withdrawConsent(ada, acme, nowMs)
        : grants.issueCode(await aGrant(grants, ['user.identify']), nowMs),
  },
  {
    name: 'a consent and its last use',
    prepare: async ({ grants }) => {
      for (let n = 0; n < 20; n += 1) await grants.issueCode(await aGrant(grants, ['user.identify']), nowMs)
    },
    write: async ({ grants }, index) =>
      index % 2 === 0
        ? grants.issueCode(await aGrant(grants, ['user.identify']), nowMs)
        : grants.recordUse(new Map(Array.from({ length: 20 }, (_, n) => [n + 1, nowMs + index] as const))),
  },
  {
    name: 'the PIN attempts of one user',
    prepare: ({ users }) => users.setPin(ada, 'hash', unlocking, nowMs),
    write: async ({ users }) => {
      await users.beginPinAttempt(ada, nowMs)
      await users.completePinAttempt(ada, 'hash', unlocking)
    },
  },
  {
    name: 'the name and email of one user',
    write: ({ users }, index) =>
      index % 2 === 0
        ? users.changeName(ada, `Ada ${index}`, nowMs)
        : users.requestEmail(ada, { address: `${index}@a.example`, key: `${index}@a.example` }, 'en', nowMs),
  },
  {
    name: 'the sessions of one user',
    write: async ({ sessions }, index) => {
      const number = await sessions.allotNumber()
      const session = { number, digest: browser, surface: 'identity', userId: ada, userAgent: undefined } as const
      await sessions.addSession(
        { ...session, address: '192.0.2.1', createdAtMs: nowMs, expiresAtMs: nowMs + 1 },
        null,
        1_000,
      )
      await sessions.recordSeen(new Map([number, number - 1, number - 2, number - 3].map((seen) => [seen, nowMs])))
      if (index % 3 === 0) await sessions.endSessionOf(ada, number)
    },
  },
  {
    name: 'the passkey challenges of one browser',
    write: ({ passkeys }, index) =>
      passkeys.addChallenge(`${index} ${Math.random()}`, { purpose: 'sign-in', browser, userId: null }, nowMs, {
        perBrowser: 8,
        share: { holder: browser, atMost: 100 },
        inAll: 100,
      }),
  },
  {
    name: 'the kept forms of one user',
    write: ({ keptForms }, index) =>
      keptForms.keep({ id: `${index} ${Math.random()}`, userId: ada, sealed: browser, expiresAtMs: nowMs }, 8),
  },
  {
    name: 'the links of one user',
    write: ({ links }, index) =>
      links.putLink({
        userId: ada,
        purpose: 'set-pin',
        digest: secrets.digest(`${index} ${Math.random()}`),
        emailKey: null,
        expiresAtMs: nowMs,
      }),
  },
  {
    name: 'one application and its secrets',
    write: async ({ applications }, index) => {
      if (index % 2 === 0) return applications.changeApplication(acme, ada, application, nowMs)
      return applications.replaceSecrets(acme, ada, aKey(index), nowMs)
    },
  },
  {
    name: 'the last uses of keys, stored by two nodes in different orders',
    prepare: async (stores) => {
      await withBot(stores)
      for (let n = 0; n < 8; n += 1)
        await stores.applications.addSecret(acme, ada, { ...aKey(n), label: '' }, { atMost: 9, nowMs })
    },
    write: ({ applications }, index) => {
      const numbers = Array.from({ length: 8 }, (_, n) => n + 1)
      return applications.recordSecretUse(
        new Map((index % 2 === 0 ? numbers : numbers.reverse()).map((number) => [number, nowMs + index])),
      )
    },
  },
  {
    name: 'the figures and failures of one application',
    write: ({ requests }) =>
      requests.add(
        [
          {
            applicationId: acme,
            days: [{ day: 1, grants: 1, refreshes: 1, errors: 1 }],
            failures: [
              {
                atMs: nowMs,
                place: 'token',
                error: null,
                reason: null,
                parameter: null,
                description: 'x',
                redirectUri: null,
              },
            ],
          },
        ],
        50,
      ),
  },
  {
    name: 'one bot and its coworkers',
    prepare: withBot,
    write: async ({ bots }, index) => {
      if (index % 2 === 0) return bots.changeSwitches(bot, { publicStatus: index % 4 === 0 }, nowMs)
      return bots.putGuilds(bot, [`${index}`])
    },
  },
  {
    name: 'the key of one flow',
    prepare: async (stores) => {
      await withBot(stores)
      const webhook = { path: 'in', requiresKey: true, spareKey: aKey(0) }
      await stores.flows.putFlow(bot, hook, { kind: 'event', name: 'Hook', webhook }, nowMs)
    },
    write: ({ flows }, index) => flows.replaceKey(bot, hook, aKey(index), { endsAtMs: nowMs + 1 }, nowMs),
  },
  {
    name: 'the key of one runtime',
    prepare: ({ runtimes }) =>
      runtimes.addRuntime({ id: runtime, name: 'R', ownerId: null, botIds: null }, aKey(0), 3, nowMs),
    write: ({ runtimes }, index) => runtimes.replaceKey(runtime, null, aKey(index), { endsAtMs: nowMs + 1 }, nowMs),
  },
  {
    name: 'the runtime logs of one bot',
    prepare: withBot,
    write: ({ runtimeLogs }, index) =>
      runtimeLogs.appendLogs([{ botId: bot, level: 'info', message: `${index}`, atMs: nowMs + index }], 20),
  },
  {
    name: 'the status notice of one bot',
    prepare: withBot,
    write: ({ statusNotices }, index) =>
      statusNotices.putNotice(bot, index % 3 === 0 ? null : { text: `${index}`, setAtMs: nowMs }),
  },
  {
    name: 'the heartbeats and goodbyes of the same bots, in different orders',
    write: ({ snapshots }, index) => {
      const ids = Array.from({ length: 50 }, (_, n) => `bot-${n}`)
      if (index % 2 === 1) ids.reverse()
      return snapshots.applySnapshots(
        ids.flatMap((id) => [
          { kind: 'heartbeat', snapshot: { ...aReport(id), reportedAtMs: nowMs + index, hasLeft: false } } as const,
          { kind: 'left', botId: botId(id), leftAtMs: nowMs + index } as const,
        ]),
      )
    },
  },
]

describe('postgres: rows that many requests write at once, at two nodes', () => {
  for (const { name, prepare, write } of hotRows) {
    test(`${name}: no write fails`, async (t) => {
      const { nodes } = await openNodes(t, 2)
      await prepare?.(nodes[0]!)
      const failed: unknown[] = []
      await Promise.all(
        nodes.map(async (stores, node) => {
          const turns = new Turns(atOnce)
          const writes = Array.from({ length: writesPerNode }, (_, index) =>
            turns.take(() => write(stores, 2 * index + node)).catch((error) => failed.push(error)),
          )
          await Promise.all(writes)
        }),
      )
      assert.deepEqual(failed, [])
    })
  }

  test('a consent is the union of all that was allowed, and every code is redeemed', async (t) => {
    const { nodes } = await openNodes(t, 2)
    const grants = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const { grants } = nodes[index % 2]!
        const grant = await aGrant(grants, ['user.identify', `s${index % 9}`])
        assert.equal(await grants.issueCode(grant, nowMs), 'issued')
        return grant
      }),
    )
    const [{ grants: store }] = nodes as [IdentityStores]
    const scopes = await store.consentedScopes(ada, acme)
    assert.deepEqual(scopes.toSorted(), [...Array.from({ length: 9 }, (_, n) => `s${n}`), 'user.identify'])
    for (const { number, codeDigest, redirectUri, applicationId } of grants) {
      const code = { row: number, generation: 0, digest: codeDigest, applicationId, redirectUri }
      const outcome = await store.redeemCode({ ...code, clearTextVerifier: undefined }, await next(store), nowMs)
      assert.equal(outcome.kind, 'redeemed')
    }
  })

  test('of any consents given, relied on and withdrawn at once, what lives is covered by a consent', async (t) => {
    const { nodes } = await openNodes(t, 2)
    const [{ grants: store }] = nodes as [IdentityStores]
    const act = fc.record({
      node: fc.nat(1),
      kind: fc.constantFrom('given', 'given', 'standing', 'standing', 'withdrawn' as const),
      scopes: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 12 }), async (acts) => {
        await store.withdrawConsent(ada, acme, nowMs)
        const issued = await Promise.all(
          acts.map(async ({ node, kind, scopes }) => {
            const { grants } = nodes[node]!
            if (kind === 'withdrawn') return void (await grants.withdrawConsent(ada, acme, nowMs))
            const grant = { ...(await aGrant(grants, scopes)), consent: kind }
            return (await grants.issueCode(grant, nowMs)) === 'issued' ? grant : undefined
          }),
        )
        const consented = await store.consentedScopes(ada, acme)
        const given = new Set(acts.flatMap(({ kind, scopes }) => (kind === 'given' ? scopes : [])))
        assert.deepEqual(
          consented.filter((scope) => !given.has(scope)),
          [],
          'only what was given is allowed',
        )
        const live = await Promise.all(
          issued.map(async (grant) =>
            grant && (await store.findFamily(grant.number))?.revokedAtMs === null ? grant.scopes : [],
          ),
        )
        assert.deepEqual(
          live.flat().filter((scope) => !consented.includes(scope)),
          [],
          'what lives is allowed',
        )
        if (acts.every(({ kind }) => kind !== 'withdrawn')) assert.deepEqual(new Set(consented), given)
      }),
      { numRuns: 40 * budget, seed: 20_261_122 },
    )
  })
})

describe('postgres: writes of one row that share a transaction', () => {
  test('concurrent consents have the same result as sequential ones on SQLite', async (t) => {
    const { nodes } = await openNodes(t, 1)
    const [{ grants: merged }] = nodes as [IdentityStores]
    const file = openIdentityFile(t)
    await withAdaAndAcme(new SqliteDatabase(file))
    const { grants: plain } = sqliteIdentity(file)
    const act = fc.record({
      kind: fc.constantFrom('given', 'given', 'standing', 'standing', 'withdrawn' as const),
      scopes: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    })
    const prepared = (grants: IdentityStores['grants'], acts: readonly { kind: string; scopes: string[] }[]) =>
      Promise.all(
        acts.map(async ({ kind, scopes }) => ({
          ...(await aGrant(grants, scopes)),
          consent: kind === 'standing' ? ('standing' as const) : ('given' as const),
        })),
      )
    const after = async (
      grants: IdentityStores['grants'],
      issued: readonly NewGrant[],
      outcomes: readonly string[],
    ) => ({
      outcomes,
      scopes: await grants.consentedScopes(ada, acme),
      live: await Promise.all(
        issued.map(async ({ number }) => (await grants.findFamily(number))?.revokedAtMs === null),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 30 }), async (acts) => {
        for (const grants of [merged, plain]) await grants.withdrawConsent(ada, acme, nowMs)
        const perform = (grants: IdentityStores['grants'], grant: NewGrant, at: number) =>
          acts[at]!.kind === 'withdrawn' ? grants.withdrawConsent(ada, acme, nowMs) : grants.issueCode(grant, nowMs)
        const [mergedGrants, plainGrants] = [await prepared(merged, acts), await prepared(plain, acts)]
        const atOnce = await Promise.all(mergedGrants.map((grant, at) => perform(merged, grant, at)))
        const inOrder: string[] = []
        for (const [at, grant] of plainGrants.entries()) inOrder.push(await perform(plain, grant, at))
        assert.deepEqual(await after(merged, mergedGrants, atOnce), await after(plain, plainGrants, inOrder))
      }),
      { numRuns: 60 * budget, seed: 20_261_122 },
    )
  })

  test('a fault of one fails no other, and each is written with what belongs to it, or not at all', async (t) => {
    const { databases, nodes } = await openNodes(t, 1)
    const [database, { scopes }] = [databases[0]!, nodes[0]!]
    const declare = (name: string) => changes("INSERT INTO scopes (name, description) VALUES (?, '')", name)
    const writes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      database.writeAlong(
        () =>
          database.write(function* () {
            yield* declare(name)
            if (name === 'c') throw new Error('a fault')
            return name
          }, 'row'),
        function* (outcome) {
          yield* declare(`${outcome} along`)
        },
      ),
    )
    const settled = await Promise.allSettled(writes)
    assert.deepEqual(
      settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      ['a', 'b', 'a fault', 'd', 'e'],
    )
    const names = (await scopes.list()).map(({ name }) => name)
    assert.deepEqual(names, ['a', 'a along', 'b', 'b along', 'd', 'd along', 'e', 'e along'])
  })
})

describe('postgres: writes that wait for others of their row', () => {
  test('are rejected once they exceed the request timeout; writes queued later still succeed', async (t) => {
    let elapsedMs = 0
    t.mock.method(performance, 'now', () => elapsedMs)
    const begun = Promise.withResolvers<void>()
    const writes = new RowWrites<string>(async (together) => {
      await begun.promise
      return together
    }, 5_000)
    const [first, early] = [writes.add('row', 'first'), writes.add('row', 'early')]
    elapsedMs = 1_001
    const late = writes.add('row', 'late')
    const refused = assert.rejects(early, StoreUnavailable)
    elapsedMs = 6_000
    begun.resolve()
    assert.deepEqual(await Promise.all([first, late]), ['first', 'late'])
    await refused
  })
})

describe('postgres: a write that meets others', () => {
  test('is retried until the request times out, without a maximum number of attempts', async (t) => {
    const { databases } = await openNodes(t, 1)
    let tries = 0
    await databases[0]!.write(function* () {
      tries += 1
      if (tries <= 60) yield* changes("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
    })
    assert.equal(tries, 61)
  })

  test('is retried for as long as a request waits in the queue too', async (t) => {
    const queue = new QueuePool(new Primary([await identityUrl()]), 1)
    t.after(() => queue.close())
    let tries = 0
    await queue.transaction(async (ask) => {
      tries += 1
      const text = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$"
      if (tries <= 15) await ask({ name: 'met-another', text }, [])
    })
    assert.equal(tries, 16)
  })

  test('does not delay writes of other rows while another transaction locks its row', async (t) => {
    const { nodes } = await openNodes(t, 1)
    const [{ users, scopes }] = nodes as [IdentityStores]
    await users.setPin(ada, 'hash', unlocking, nowMs)
    const stranger = new Client({ connectionString: await identityUrl() })
    await stranger.connect()
    t.after(() => stranger.end())
    await stranger.query("BEGIN; UPDATE users SET name = name WHERE id = 'ada'")
    const waiting = Promise.all(Array.from({ length: atOnce }, () => users.beginPinAttempt(ada, nowMs)))
    waiting.catch(() => {})
    for (let n = 0; n < 20; n += 1) await scopes.declare({ name: `scope-${n}`, description: '' })
    await stranger.query('COMMIT')
    const kinds = (await waiting).map(({ kind }) => kind)
    assert.deepEqual(kinds.toSorted(), [...Array(5).fill('begun'), ...Array(11).fill('locked')])
  })
})

async function openNodes(t: TestContext, count: number) {
  const databases = [await openIdentityDatabase(t)]
  while (databases.length < count) databases.push(await openIdentityNode(t))
  await withAdaAndAcme(databases[0]!)
  return { databases, nodes: databases.map(postgresIdentity) }
}

async function aGrant(grants: IdentityStores['grants'], scopes: readonly string[]): Promise<NewGrant> {
  return {
    number: await grants.allotNumber('family'),
    applicationId: acme,
    userId: ada,
    scopes,
    redirectUri: 'https://client.example/callback',
    codeChallenge: null,
    codeDigest: family.digest,
    codeExpiresAtMs: nowMs + 300_000,
    consent: 'given',
  }
}

async function next(grants: IdentityStores['grants']) {
  return {
    accessNumber: await grants.allotNumber('access-token'),
    accessDigest: secrets.digest('access'),
    refreshDigest: secrets.digest('refresh'),
  }
}
