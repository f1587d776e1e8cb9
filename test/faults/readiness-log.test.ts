import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type GatehouseProcess, serve } from '../support/gatehouse-process.ts'
import { ask } from '../support/postgres/with-client.ts'
import { operatedEnvironment, provision } from '../support/service-process-client.ts'
import { openPostgres, startNode } from './nodes-on-postgres.ts'
import { mountSmallDisk } from './small-disk.ts'

/** Sends webhooks until one gets 503. Never requests `/readyz`. */
async function sendUntilRefused(env: Record<string, string>): Promise<void> {
  for (let status = 202; status !== 503; ) {
    const answer = await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body: 'x'.repeat(50_000) })
    status = answer.status
    assert.ok([202, 503].includes(status))
  }
}

function readinessIn(process: GatehouseProcess): { level: number; reason?: string; msg: string; err?: object }[] {
  const lines = process.stdout().split('\n')
  return lines.filter((line) => /"msg":"(not ready|ready again)/.test(line)).map((line) => JSON.parse(line))
}

/** Causes a fault, waits until the log reports it, and then repairs the fault. */
async function breakAndRepair(
  { env, process }: { env: Record<string, string>; process: GatehouseProcess },
  reason: RegExp,
  { breakIt, repair }: { breakIt(): unknown; repair(): unknown },
): Promise<void> {
  const before = readinessIn(process).length
  const logs = (lines: number) => eventually(() => readinessIn(process).length >= before + lines || undefined)
  await breakIt()
  try {
    await sendUntilRefused(env)
    await logs(1)
    await sendUntilRefused(env)
    const metrics = await (await fetch(`${env.CONTROL_URL}/metrics`)).text()
    const [, shown = ''] = /^gatehouse_ready\{reason="([a-z-]+)"\} 0$/m.exec(metrics) ?? []
    assert.match(shown, reason)
  } finally {
    await repair()
  }
  await logs(2)
  const [lost, back, ...more] = readinessIn(process).slice(before)
  assert.match(lost?.reason ?? '', reason)
  assert.deepEqual([lost?.level, lost?.msg, typeof lost?.err], [40, `not ready: ${lost?.reason}`, 'object'])
  assert.deepEqual([back?.level, back?.msg, more], [30, 'ready again', []])
  const metrics = await (await fetch(`${env.CONTROL_URL}/metrics`)).text()
  assert.match(metrics, /^gatehouse_ready\{reason="none"\} 1$/m)
}

test('our choice: a node with a full disk logs once that it is not ready and once that it is ready again', async (t) => {
  const disk = mountSmallDisk(t, 24)
  if (disk === undefined) return t.skip('no file system can be mounted here: run the tests as root to see this')
  const env = { ...(await operatedEnvironment(t)), DATA_DIR: disk.folder }
  const process = await serve(t, env)
  await provision(env)
  await breakAndRepair({ env, process }, /^disk-full$/, { breakIt: () => disk.fill(), repair: () => disk.free() })
})

test('our choice: so does a node whose PostgreSQL server stops or hangs, or whose synchronous standby hangs', async (t) => {
  const server = await openPostgres(t)
  const node = await startNode(t, server.url())
  await provision(node.env)
  const waitFor = async (names: string) => {
    await ask(server.url(), `ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await ask(server.url(), 'SELECT pg_reload_conf()')
  }
  await breakAndRepair(node, /^unreachable$/, { breakIt: () => server.stop(), repair: () => server.start() })
  await breakAndRepair(node, /^no-answer$/, { breakIt: () => server.freeze(), repair: () => server.thaw() })
  await breakAndRepair(node, /^no-answer$/, { breakIt: () => waitFor('absent'), repair: () => waitFor('') })
})
