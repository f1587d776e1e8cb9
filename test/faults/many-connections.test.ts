import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve } from '../support/gatehouse-process.ts'
import { RawConnection } from '../support/raw-http.ts'
import { operatedEnvironment, provision, WebhookLedger, webhookUrlOf } from '../support/service-process-client.ts'

/** Ten thousand, or as many as this machine allows per process. */
const connections = Math.min(10_000, openFilesMax() - 500)
const heapMiB = 1_024

test('our choice: ten thousand simultaneous connections, each with a webhook, fit in a 1 GiB heap, and each accepted webhook is handled once', async (t) => {
  const env: Record<string, string> = { ...(await operatedEnvironment(t)), LOG_LEVEL: 'warn' }
  const main = join(import.meta.dirname, '../../src/main.ts')
  const running = await serve(t, env, [process.execPath, `--max-old-space-size=${heapMiB}`, main])
  const key = await provision(env)
  const paths = [0, 1, 2].map((n) => new URL(webhookUrlOf(env, n)).pathname)
  const ledger = new WebhookLedger()
  const open: RawConnection[] = []
  // Opens the connections in groups, so that the system's accept queue doesn't overflow.
  while (open.length < connections) {
    const length = Math.min(250, connections - open.length)
    const next = await Promise.all(Array.from({ length }, () => RawConnection.to(t, env.API_URL ?? '')))
    // A connection without a request is closed after 15 seconds, which opening the others can take.
    for (const connection of next) connection.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    for (const connection of next) assert.equal((await connection.answer()).status, 200)
    open.push(...next)
  }
  for (let round = 0; round < 2; round += 1) {
    const bodyOf = (at: number) => `${round}-${at}`
    for (const [at, connection] of open.entries()) {
      const body = bodyOf(at)
      ledger.sent.add(body)
      const head = `POST ${paths[at % paths.length]} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}`
      connection.write(`${head}\r\n\r\n${body}`)
    }
    for (const [at, connection] of open.entries()) {
      const { status, headers } = await connection.answer()
      if (status === 202) ledger.accepted.add(bodyOf(at))
      else assert.deepEqual([status, headers['retry-after']], [503, '1'])
    }
  }
  assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
  const residentMiB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]) / 1_024
  t.diagnostic(`${connections} connections: ${residentMiB.toFixed(0)} MiB resident`)
  assert.ok(residentMiB < heapMiB)
  await ledger.assertReceived(t, env, key)
})

function openFilesMax(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024)
}
