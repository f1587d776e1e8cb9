import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { ada, codeFor, provision, redeem } from '../people.ts'
import { openWorld, type World } from '../world.ts'
import { provisionScene } from './attackable.ts'

test('our choice: nothing that opens anything lies in clear in a file of the data directory or in the database', async (t) => {
  const world = await openWorld(t)
  const { client, browser, runtimeKey } = await provisionScene(world)
  const pin = '730918264553'
  await provision(world, 'PUT', '/v1/users/ada', { name: ada.name, password: ada.password, pin })
  await browser.visit(world.portalUrl, world)
  const kept = await codeFor(world, browser, client)
  const { json } = await redeem(world, client, await codeFor(world, browser, client))
  const link = (await provision(world, 'POST', '/v1/users/ada/recovery', {})).json
  const linkToken = /[?#&/](?:token=)?(svc_mt_\w+)/.exec(JSON.stringify(link))?.[1] ?? assert.fail(JSON.stringify(link))
  const secrets: Record<string, string> = {
    password: ada.password,
    pin,
    kept,
    linkToken,
    runtimeKey,
    clientSecret: client.clientSecret,
    accessToken: json.access_token,
    refreshToken: json.refresh_token,
    flowKey: 'a-key-of-orders',
    ...Object.fromEntries(browser.cookieValues().map((value, at) => [`cookie ${at}`, value])),
  }
  const rows = await rowsOf(world)
  await world.stop()
  const files = readdirSync(world.dataDir)
  if (world.databaseUrl === undefined) assert.ok(files.some((file) => file.startsWith('identity.sqlite')))
  else assert.ok(Object.values(rows).some((bytes) => bytes.includes(client.clientId)))
  const places = {
    ...rows,
    ...Object.fromEntries(files.map((file) => [file, readFileSync(join(world.dataDir, file))])),
  }
  for (const [place, bytes] of Object.entries(places)) {
    for (const [name, secret] of Object.entries(secrets)) {
      // Without its prefix, which is no secret.
      const opening = secret.replace(/^svc_[a-z]{2}_/, '')
      assert.ok(opening.length >= 10, name)
      assert.equal(bytes.includes(opening), false, `${name} is in ${place}`)
      // PostgreSQL writes bytes as hexadecimal digits.
      const hex = Buffer.from(opening).toString('hex')
      assert.equal(bytes.includes(hex), false, `${name} is in ${place}, as bytes`)
    }
  }
})

/** Every row of every table in the world's PostgreSQL, as text; empty on SQLite. */
async function rowsOf({ databaseUrl }: World): Promise<Record<string, Buffer>> {
  if (databaseUrl === undefined) return {}
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  try {
    const tables = await database.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
    const texts: Record<string, Buffer> = {}
    for (const { name } of tables.rows) {
      const { rows } = await database.query(`SELECT string_agg(t::text, E'\\n') AS text FROM ${name} AS t`)
      texts[`table ${name}`] = Buffer.from(rows[0].text ?? '')
    }
    return texts
  } finally {
    await database.end()
  }
}
