import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { serve } from '../support/gatehouse-process.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'

/** Maximum memory that stays allocated, as a share of the memory allocated when the service became ready. */
const remainingMax = 0.8

/**
 * Prints the memory of a process when it becomes ready. The service returns memory a second later, and a busy machine may
 * let this process look only after that.
 */
const measuring = `import { readFileSync } from 'node:fs'
  const { write } = process.stderr
  process.stderr.write = function (text, ...more) {
    if (String(text).startsWith('Gatehouse is ready')) write.call(this, readFileSync('/proc/self/status'))
    return write.call(this, text, ...more)
  }`

/** The heap and everything else that the process allocated, without the pages of Node's binary. */
const allocatedMiB = (status: string) => Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1_024

test('our choice: a service that was just started returns the memory that only the start needed', async (t) => {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const hook = `data:text/javascript,${encodeURIComponent(measuring)}`
  const running = await serve(t, await operatedEnvironment(t), [process.execPath, '--import', hook, main])
  const whenReadyMiB = allocatedMiB(running.stderr())
  t.diagnostic(`${whenReadyMiB.toFixed(0)} MiB allocated when ready`)
  const status = () => readFileSync(`/proc/${running.pid}/status`, 'utf8')
  assert.ok(await eventually(async () => allocatedMiB(status()) < remainingMax * whenReadyMiB || undefined))
})
