import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { serve } from '../support/gatehouse-process.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'

/** Maximum memory that stays allocated, as a share of the memory allocated when the service became ready. */
const remainingMax = 0.8

test('our choice: a service that was just started returns the memory that only the start needed', async (t) => {
  const running = await serve(t, await operatedEnvironment(t))
  const status = () => readFileSync(`/proc/${running.pid}/status`, 'utf8')
  // The heap and everything else that the process allocated, without the pages of Node's binary.
  const allocatedMiB = () => Number(/RssAnon:\s+(\d+)/.exec(status())?.[1]) / 1_024
  const whenReadyMiB = allocatedMiB()
  t.diagnostic(`${whenReadyMiB.toFixed(0)} MiB allocated when ready`)
  assert.ok(await eventually(async () => allocatedMiB() < remainingMax * whenReadyMiB || undefined))
})
