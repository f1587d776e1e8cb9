import { randomBytes } from 'node:crypto'
import { ask } from './ask.ts'
import { PostgresServer } from './server.ts'

/** Set by `npm test`: the address of the server that all test files share. */
export const sharedServerVariable = 'GATEHOUSE_TEST_POSTGRES'

let server: Promise<string> | undefined

/** The address of an empty database on a real PostgreSQL. Its maker drops it, or leaves it to the server's end. */
export async function emptyDatabase(): Promise<string> {
  server ??= serverUrl()
  const url = await server
  const name = `test_${randomBytes(6).toString('hex')}`
  await ask(url, `CREATE DATABASE ${name}`)
  return url.replace(/[^/]*$/, name)
}

export async function dropDatabase(url: string): Promise<void> {
  const name = url.replace(/^.*\//, '')
  await ask(url.replace(/[^/]*$/, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/** The shared server's; where a test file is run alone, of a server for this file. */
async function serverUrl(): Promise<string> {
  const shared = process.env[sharedServerVariable]
  if (shared !== undefined && shared !== '') return shared
  const own = await PostgresServer.fresh()
  own.leaveWithProcess()
  return own.url()
}
