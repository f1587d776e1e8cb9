import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/local-server.ts'
import { openWebhook, sendWebhook } from './announcing-bot.ts'

test('our choice: send-webhook.sh explains each refusal and exits with code 1', async (t) => {
  const { webhook } = await openWebhook(t)
  const { WEBHOOK_URL } = webhook
  const rejected = (stderr: string) => ({ code: 1, stdout: '', stderr })
  assert.deepEqual(
    await sendWebhook({ WEBHOOK_URL }, '{}'),
    rejected('Rejected: GATEHOUSE_FLOW_KEY is missing or wrong.\n'),
  )
  assert.deepEqual(
    await sendWebhook({ ...webhook, WEBHOOK_URL: `${WEBHOOK_URL}/none` }, '{}'),
    rejected('Rejected: no flow listens at WEBHOOK_URL.\n'),
  )
  assert.deepEqual(
    await sendWebhook(webhook, 'a'.repeat(1_048_577)),
    rejected('Rejected: the body is larger than 1 MiB.\n'),
  )
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
