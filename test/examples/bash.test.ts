import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/local-server.ts'
import { openWebhook, sendWebhook } from './announcing-bot.ts'

test('our choice: send-webhook.sh explains each refusal and exits with code 1', async (t) => {
  const { webhook } = await openWebhook(t)
  const { WEBHOOK_URL } = webhook
  for (const [env, body, said] of [
    [{ WEBHOOK_URL }, '{}', 'GATEHOUSE_FLOW_KEY is missing or wrong.'],
    [{ ...webhook, WEBHOOK_URL: `${WEBHOOK_URL}/none` }, '{}', 'no flow listens at WEBHOOK_URL.'],
    [webhook, 'a'.repeat(1_048_577), 'the body is larger than 1 MiB.'],
  ] as const) {
    assert.deepEqual(await sendWebhook(env, body), { code: 1, stdout: '', stderr: `Rejected: ${said}\n` })
  }
})

test('our choice: send-webhook.sh retries a 503 with the same x-request-id, and passes the key in no process argument', async (t) => {
  const seen: (string | string[] | undefined)[][] = []
  const WEBHOOK_URL = await serve(t, ({ headers }, response) => {
    seen.push([headers['svc-key'], headers['x-request-id']])
    response.writeHead(seen.length === 1 ? 503 : 202).end()
  })
  assert.equal((await sendWebhook({ WEBHOOK_URL, GATEHOUSE_FLOW_KEY: 'svc_fk_a' }, '{}')).code, 0)
  assert.equal(seen.length, 2)
  assert.deepEqual(seen[0], seen[1])
  assert.equal(seen[0]?.[0], 'svc_fk_a')
})
