import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { eventually } from '../support/eventually.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { ask } from '../support/postgres/with-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openWorld } from '../support/world.ts'
import { portsOf, settingsOf, variablesRead } from './settings.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')

interface ComposeService {
  environment: Record<string, string>
  depends_on: Record<string, unknown>
  volumes?: string[]
  ports?: string[]
  read_only?: boolean
  stop_grace_period?: string
  entrypoint?: string[]
}

const compose = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, ComposeService> }
const proxy = read('haproxy.cfg')
const nodes = Object.keys(compose.services).filter((name) => name.startsWith('node-'))
const node = compose.services['node-a'] as ComposeService

/** The settings in env.example, filled in with sample values. */
const exampleSettings = Object.fromEntries(
  [...read('env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => [name, 'f'.repeat(64)]),
)

function filledIn(text: string): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
    const value = exampleSettings[name] ?? (kind === '-' ? rest : undefined)
    assert.ok(value !== undefined, `${name} is in env.example`)
    return value
  })
}

const settings = Object.fromEntries(Object.entries(node.environment).map(([name, text]) => [name, filledIn(text)]))

describe('our choice: several nodes with compose (decision 0043)', () => {
  test('compose.yaml defines three nodes with valid settings, a read-only file system and enough time to drain', () => {
    assert.equal(nodes.length, 3)
    // As in the image, the service listens on all addresses: a container's loopback is unreachable from outside.
    const { DATABASE_URL, ...others } = settings
    assert.ok(variablesRead().has('DATABASE_URL'))
    const config = settingsOf({ ...others, LISTEN_HOST: '0.0.0.0' })
    const { hostname: hosts } = new URL(String(DATABASE_URL).replace(/,.*?\//, '/'))
    assert.ok(hosts in compose.services)
    for (const [host] of String(DATABASE_URL).matchAll(/postgres-\w+(?=:5432)/g))
      assert.ok(host in compose.services, host)
    assert.equal(config.trustProxy, 1)
    // The proxy is the only hop, since nothing else can reach a node.
    for (const name of nodes) assert.equal(compose.services[name]?.ports, undefined)
    for (const name of nodes) assert.deepEqual(compose.services[name]?.environment, node.environment)
    assert.equal(node.read_only, true)
    assert.ok(Number.parseInt(node.stop_grace_period ?? '', 10) > 10)
  })

  test('the proxy knows every node and port, and sends requests only to nodes that are ready', async (t) => {
    const ports = portsOf(settingsOf({ LISTEN_HOST: '0.0.0.0' }))
    const sections = proxy.split(/^(?=listen )/m).slice(1)
    const surfaces = { identity: ports.base, gateway: ports.api, portal: ports.portal, control: ports.control }
    const listeners = sections.map((section) => section.match(/^listen (\w+)/)?.[1])
    assert.deepEqual(listeners, Object.keys(surfaces))
    for (const [index, port] of Object.values(surfaces).entries()) {
      const section = sections[index] as string
      assert.match(section, new RegExp(`bind :${port}$`, 'm'))
      const servers = [...section.matchAll(/^ {2}server (\S+) (\S+):(\d+)$/gm)]
      const addresses = servers.map(([, name, host, to]) => [name, host, Number(to)])
      const expected = nodes.map((name) => [name, name, port])
      assert.deepEqual(addresses, expected)
      assert.ok(compose.services.proxy?.ports?.includes(`127.0.0.1:${port}:${port}`))
    }
    assert.match(proxy, new RegExp(`check port ${ports.control} `))
    const path = proxy.match(/option httpchk GET (\S+)/)?.[1]
    const world = await openWorld(t)
    assert.equal((await fetch(`${world.controlUrl}${path}`)).status, 200)
  })

  test('every file that compose.yaml mounts exists', () => {
    const files = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.filter((volume) => volume.startsWith('./')),
    )
    assert.ok(files.length >= 3)
    for (const file of files) assert.ok(existsSync(join(deploy, file.split(':')[0] as string)), file)
  })

  test('the primary’s setup makes commits wait for the standby from the next start on', async (t) => {
    const server = await PostgresServer.fresh({ settings: ['wal_level = replica', 'max_wal_senders = 10'] })
    t.after(() => server.remove())
    const sql = read('postgres/primary.sh').match(/<<'SQL'\n([\s\S]*?)\nSQL\n/)?.[1] as string
    for (const statement of sql
      .replace(/^--.*$/gm, '')
      .replace(":'password'", "'password'")
      .split(';')) {
      if (statement.trim() !== '') await ask(server.url(), statement)
    }
    await server.stop()
    await server.start()
    assert.deepEqual(await ask(server.url(), 'SHOW synchronous_standby_names'), [
      { synchronous_standby_names: 'FIRST 1 (postgres_b)' },
    ])
    const standby = compose.services['postgres-b'] as ComposeService
    assert.equal(standby.environment.STANDBY_NAME, 'postgres_b')
    assert.deepEqual(await ask(server.url(), 'SELECT slot_name FROM pg_replication_slots'), [
      { slot_name: 'postgres_b' },
    ])
    const done = ask(server.url(), 'CREATE TABLE waits ()')
    const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    await eventually(async () => (await ask(server.url(), waiting))[0])
    await ask(server.url(), `SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waiting`)
    await done
  })

  test('the primary is copied to the standby completely or not at all, and a promoted standby waits for no other standby', (t) => {
    const folder = temporaryFolder(t)
    const pgdata = join(folder, 'data/18/docker')
    // Stand-ins for the image's programs. The first run of pg_basebackup fails.
    const programs = {
      install: 'for last; do :; done; mkdir -p "$last"',
      gosu: 'shift; exec "$@"',
      sleep: '',
      pg_basebackup: `echo "$@" >> ${folder}/asked; echo 18 > "$2/PG_VERSION"
        [ "$(wc -l < ${folder}/asked)" -gt 1 ] || exit 1
        printf "synchronous_standby_names = 'FIRST 1 (postgres_b)'\\nport = 5432\\n" > "$2/postgresql.auto.conf"`,
      'docker-entrypoint.sh': 'echo started "$@"',
    }
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    for (const [name, lines] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
    }
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      PGDATA: pgdata,
      REPLICATION_PASSWORD: 'password',
      PRIMARY_HOST: 'postgres-a',
      STANDBY_NAME: 'postgres_b',
    }
    const { stdout } = spawnSync('sh', [join(deploy, 'postgres/standby.sh'), 'postgres'], { env, encoding: 'utf8' })
    assert.equal(stdout, 'primary not ready to be copied, retrying\nstarted postgres\n')
    assert.deepEqual(readdirSync(join(pgdata, '..')), ['docker'])
    assert.equal(readFileSync(join(pgdata, 'postgresql.auto.conf'), 'utf8'), 'port = 5432\n')
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
    assert.equal(asked.length, 2)
    for (const words of asked) assert.match(words, / -c fast -R -S postgres_b /)
  })
})
