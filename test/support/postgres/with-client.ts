import type { TestContext } from 'node:test'
import { Client, Pool } from 'pg'

/** Runs `work` with a connection to the database, and closes the connection. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Opens a connection to the database, and closes it when the test ends. */
export async function openClient(t: TestContext, url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

const pools = new Map<string, Pool>()

/**
 * Like {@link withClient}, but keeps the connection for later calls. Opening one takes PostgreSQL longer than most
 * statements. `work` must leave no settings behind.
 */
export async function withKeptClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  let pool = pools.get(url)
  if (pool === undefined) {
    pool = new Pool({ connectionString: url, max: 2, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // If an idle connection breaks, the next call opens a new one.
    pool.on('error', () => {})
    pools.set(url, pool)
  }
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

/** Closes the connections kept for a database. */
export async function closeKeptClients(url: string): Promise<void> {
  const pool = pools.get(url)
  pools.delete(url)
  await pool?.end()
}

export async function ask(url: string, sql: string): Promise<object[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows)
}
