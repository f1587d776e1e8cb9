import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { eventually } from '../support/eventually.ts'
import { adaWithClient, codeFor, provision as put, redeem, refresh, signedIn, userinfo } from '../support/people.ts'
import type { PostgresServer } from '../support/postgres/server.ts'
import { provision, surfaceUrls, temporarilyUnavailable, WebhookLedger } from '../support/service-process-client.ts'
import { openPostgres, startNodeInProcess } from './nodes-on-postgres.ts'

/**
 * A request that waits for the database should take at most about ten seconds. This limit allows for a busy machine.
 */
const answeredWithinMs = 45_000

const maxConnections = 40

/** Connects as an unprivileged user, or as the superuser, for whom connections are reserved. */
async function connect(t: TestContext, server: PostgresServer, user = 'postgres'): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port: server.port, user, database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  return client
}

/** Starts a node with a listening bot, a user's tokens, and webhooks accepted before the fault. */
async function openNode(t: TestContext, databaseUrl: string) {
  const { env, stop } = await startNodeInProcess(t, databaseUrl)
  const world = surfaceUrls(env)
  const runtimeKey = await provision(env)
  const bot = { ownerId: 'ada', name: 'Greeter', chatPlatformId: '123456789012345678', publicStatus: true }
  await put(world, 'PUT', '/v1/bots/greeter', { ...bot, hostingEnabled: true })
  const client = await adaWithClient(world)
  const tokens = (await redeem(world, client, await codeFor(world, await signedIn(world), client))).json
  const ledger = new WebhookLedger()
  const webhook = () => ledger.send(env)
  const health = () => fetch(`${env.API_URL}/health`)
  const status = () => fetch(`${env.BASE_URL}/botstatus/greeter/api`)
  const readyz = () => fetch(`${env.CONTROL_URL}/readyz`)
  const ready = async () => (await readyz()).status
  for (let n = 0; n < 20; n += 1) assert.equal((await webhook())?.status, 202)

  return {
    readyz,

    /** Sends more concurrent requests, of all kinds, than there are connections. Checks each complete response. */
    async assertAllRefused(): Promise<void> {
      const many = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 30 }, ask))
      const asked = Promise.all([
        many(webhook),
        // The path is not cached, so the node can't tell whether a flow listens there.
        fetch(`${env.API_URL}/greeter/not-cached`, { method: 'POST', body: 'x' }),
        many(() => userinfo(world, tokens.access_token)),
        many(() => refresh(world, client, tokens.refresh_token)),
        // Sends few status requests, because the rate limit is sixty a minute.
        Promise.all(Array.from({ length: 5 }, status)),
        health(),
        ready(),
      ])
      const late = new Promise<never>((_, reject) => {
        const timer = setTimeout(() => reject(new Error('a request was kept waiting')), answeredWithinMs)
        asked.finally(() => clearTimeout(timer)).catch(() => {})
      })
      const [webhooks, uncached, userinfos, refreshes, statuses, unhealthy, unready] = await Promise.race([asked, late])
      const unavailable = { status: 503, retryAfter: '1', text: '{"error": "Webhook gateway unavailable."}' }
      for (const answer of webhooks) assert.deepEqual(answer, unavailable)
      const retryAfter = uncached.headers.get('retry-after')
      assert.deepEqual({ status: uncached.status, retryAfter, text: await uncached.text() }, unavailable)
      for (const answer of [...userinfos, ...refreshes]) {
        assert.deepEqual([answer.status, answer.json], [503, temporarilyUnavailable])
        assert.equal(answer.headers.get('retry-after'), '1')
      }
      for (const answer of statuses) {
        // The specification defines no other failure for the status endpoint.
        assert.deepEqual([answer.status, await answer.json()], [500, { error: 'Internal server error' }])
      }
      const record = { status: 'unavailable', service: 'webhooks', reason: 'backend_error' }
      assert.deepEqual([unhealthy.status, await unhealthy.json()], [503, record])
      assert.equal(unready, 503)
      assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
    },

    /**
     * Checks that the node recovers by itself within ten seconds. Tokens that were refused must still be valid, and no
     * accepted webhook may be lost. Then stops the node.
     */
    async assertRecovers(): Promise<void> {
      await Promise.all([
        eventually(async () => ((await webhook())?.status === 202 ? true : undefined)),
        eventually(async () => ((await userinfo(world, tokens.access_token)).status === 200 ? true : undefined)),
        eventually(async () => ((await health()).status === 200 ? true : undefined)),
        eventually(async () => ((await ready()) === 200 ? true : undefined)),
        eventually(async () => ((await status()).status !== 500 ? true : undefined)),
      ])
      const refreshed = await refresh(world, client, tokens.refresh_token)
      assert.equal(refreshed.status, 200, JSON.stringify(refreshed.json))
      // Uses a client that reconnects, because a node that has missed notifications makes its runtimes reconnect.
      await ledger.assertReceived(t, env, runtimeKey)
      await stop()
    },
  }
}

test('while other clients hold all connections, each surface responds that it is unavailable; the node recovers within ten seconds', async (t) => {
  const server = await openPostgres(t, { settings: [`max_connections = ${maxConnections}`] })
  const superuser = await connect(t, server)
  await superuser.query('CREATE ROLE gatehouse LOGIN; CREATE ROLE other LOGIN; GRANT ALL ON SCHEMA public TO gatehouse')
  const node = await openNode(t, server.url().replace('postgres@', 'gatehouse@'))

  const others: Client[] = []
  const takeAll = async () => {
    for (;;) {
      const refused = await connect(t, server, 'other').then(
        (client) => void others.push(client),
        (error) => error,
      )
      if (refused !== undefined) return assert.equal(refused.code, '53300', String(refused))
    }
  }
  const cutOff = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatehouse'"
  // Repeats until these clients hold every connection except the superuser's and the three that the server reserves.
  // `pg_stat_activity` does not yet list a connection that is still being opened, so one round can miss it.
  while (others.length < maxConnections - 3 - 1) {
    await takeAll()
    await superuser.query(cutOff)
  }
  await node.assertAllRefused()
  await eventually(
    async () =>
      ((await (await node.readyz()).json()) as { reason?: string }).reason === 'too-many-connections' || undefined,
  )
  await Promise.all(others.map((client) => client.end()))
  await node.assertRecovers()
})

test('while the server is stopped, every request is answered; the node recovers within ten seconds of its start', async (t) => {
  const server = await openPostgres(t)
  const node = await openNode(t, server.url())
  await server.stop()
  await node.assertAllRefused()
  await server.start()
  await node.assertRecovers()
})

test('while a client locks the tables that all requests need, every request is answered; the node recovers within ten seconds', async (t) => {
  const server = await openPostgres(t)
  const node = await openNode(t, server.url())
  const operator = await connect(t, server)
  await operator.query(
    'BEGIN; LOCK TABLE queue_entered, queue_nodes, applications, access_tokens, token_families, bots',
  )
  await node.assertAllRefused()
  await operator.query('ROLLBACK')
  await node.assertRecovers()
})

test('while the server’s processes are frozen, every request is answered; the node recovers within ten seconds', async (t) => {
  const server = await openPostgres(t)
  const node = await openNode(t, server.url())
  server.freeze()
  t.after(() => server.thaw())
  await node.assertAllRefused()
  // By now the frozen connections have timed out, and opening a new one hangs.
  await node.assertAllRefused()
  server.thaw()
  await node.assertRecovers()
})
