import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGatehouse } from '../gatehouse-process.ts'
import { RawConnection } from '../raw-http.ts'
import { operatedEnvironment, provision } from './from-outside.ts'

/** As many of ten thousand as this machine lets a process have. */
const connections = Math.min(10_000, openFilesMax() - 500)
const heapMiB = 1_024

test('our choice: ten thousand connections at once, each with a webhook, are served within a heap of 1 GiB', async (t) => {
  const env: Record<string, string> = { ...(await operatedEnvironment(t)), LOG_LEVEL: 'warn' }
  const main = join(import.meta.dirname, '../../src/main.ts')
  const running = startGatehouse(t, ['serve'], env, [process.execPath, `--max-old-space-size=${heapMiB}`, main])
  await running.ready()
  await provision(env)
  const request = 'POST /greeter/hooks HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi'
  const open: RawConnection[] = []
  // A few hundred at a time, so that none is turned away by the system's own queue.
  while (open.length < connections) {
    const length = Math.min(250, connections - open.length)
    const next = await Promise.all(Array.from({ length }, () => RawConnection.to(t, env.API_URL ?? '')))
    open.push(...next)
  }
  for (let round = 0; round < 2; round += 1) {
    for (const connection of open) connection.write(request)
    for (const connection of open) {
      const { status, headers } = await connection.answer()
      if (status !== 202) assert.deepEqual([status, headers['retry-after']], [503, '1'])
    }
  }
  assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
  const residentMiB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]) / 1_024
  t.diagnostic(`${connections} connections: ${residentMiB.toFixed(0)} MiB resident`)
  assert.ok(residentMiB < heapMiB)
})

function openFilesMax(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024)
}
