import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConcurrencyLimit } from '../../src/domain/concurrency-limit.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { aBot, aReport, botId, flowId, runtimeId } from '../contract/bot-stores.ts'
import { acme, ada, aGrant, nowMs, secrets } from '../contract/grant-scene.ts'
import { openIdentityNodes } from '../support/adapters/identity-nodes.ts'
import { budget } from '../support/budget.ts'

const atOnce = 16
/** Number of times each node writes each row. `GATEHOUSE_TEST_BUDGET=60` raises it to 12,000. */
const writesPerNode = 200 * budget

interface HotRow {
  name: string
  prepare?: (stores: IdentityStores) => Promise<unknown>
  write: (stores: IdentityStores, index: number) => Promise<unknown>
}

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
      const session = { number, digest: browser, surface: 'identity', accountSession: null, userId: ada } as const
      await sessions.addSession(
        { ...session, userAgent: undefined, address: '192.0.2.1', createdAtMs: nowMs, expiresAtMs: nowMs + 1 },
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
      }),
  },
  {
    name: 'the results of one user’s try-outs',
    write: ({ tryOutResults }, index) =>
      tryOutResults.keep({ id: `${index} ${Math.random()}`, userId: ada, sealed: browser, expiresAtMs: nowMs }, 8),
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
        nowMs + index,
      )
    },
  },
]

/** Repeats a write that was given up because it waited or conflicted for too long, as on a busy machine. It wrote nothing. */
async function inTime(write: () => Promise<unknown>): Promise<unknown> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof StoreUnavailable) return inTime(write)
    throw error
  }
}

describe('postgres: concurrent writes to the same rows from two nodes', () => {
  for (const { name, prepare, write } of hotRows) {
    test(`two nodes can write the same rows concurrently: ${name}`, async (t) => {
      const { nodes } = await openIdentityNodes(t, 2)
      await prepare?.(nodes[0]!)
      const failed: unknown[] = []
      await Promise.all(
        nodes.map(async (stores, node) => {
          const turns = new ConcurrencyLimit(atOnce)
          const writes = Array.from({ length: writesPerNode }, (_, index) =>
            turns.run(() => inTime(() => write(stores, 2 * index + node))).catch((error) => failed.push(error)),
          )
          await Promise.all(writes)
        }),
      )
      assert.deepEqual(failed, [])
    })
  }
})
