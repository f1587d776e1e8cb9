import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { serve, stopped } from '../support/gatehouse-process.ts'
import { operatedEnvironment, provision, release, WebhookLedger } from '../support/service-process-client.ts'

test('our choice: a service whose data directory was emptied soon rejects webhooks, instead of accepting what the next start can’t find (decision 0006)', async (t) => {
  const env = await operatedEnvironment(t)
  const service = await serve(t, env)
  await provision(env)
  const ledger = new WebhookLedger()
  assert.deepEqual(await ledger.send(env), { status: 202, retryAfter: null, text: '{"ok": true}' })

  for (const name of readdirSync(env.DATA_DIR)) rmSync(join(env.DATA_DIR, name), { recursive: true })
  const rejected = await eventually(async () => {
    const answer = await ledger.send(env)
    return answer?.status === 202 ? undefined : answer
  })
  assert.deepEqual(rejected, { status: 503, retryAfter: '1', text: '{"error": "Webhook gateway unavailable."}' })
  // Each database notices the loss on its own, with its first write more than a second after it last looked.
  const ready = await eventually(async () => {
    const answer = await fetch(`${env.CONTROL_URL}/readyz`)
    const report = (await answer.json()) as { checks: { identity: string } }
    return report.checks.identity === 'failing' ? { status: answer.status, report } : undefined
  })
  const checks = { identity: 'failing', gateway: 'failing' }
  const report = { status: 'unavailable', ...release, checks, reason: 'failing' }
  assert.deepEqual(ready, { status: 503, report })
  const lost = join(env.DATA_DIR, 'queue.sqlite')
  await service.waitForOutput(`${lost} was deleted, moved or replaced while the service was running`)

  await stopped(service)
})
