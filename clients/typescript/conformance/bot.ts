import { setTimeout as wait } from 'node:timers/promises'
import { connect, type WebhookContext, type WebhookEvent } from '../src/runtime.ts'

/** The program that the conformance kit runs. clients/conformance/README.md describes what it must do for each path. */

const behaviours: Record<string, (event: WebhookEvent, context: WebhookContext) => unknown> = {
  ok: () => {},
  echo: (event, { log }) => log('info', event.text()),
  json: (event, { log }) => log('info', JSON.stringify(event.json())),
  trace: ({ traceparent }, { log }) => log('info', traceparent ?? 'none'),
  slow: async (event, { log, signal }) => {
    log('info', `started ${event.id}`)
    await wait(700, undefined, { signal })
  },
  fail: () => {
    throw new Error('failed as asked')
  },
  'fail-at-length': () => {
    throw new Error('x'.repeat(3 * 1_048_576))
  },
  retry: (_event, { retryIn }) => retryIn(1_234),
  dead: (_event, { dead }) => dead('not wanted'),
}

const runtime = connect({
  url: process.env.GATEHOUSE_URL ?? '',
  key: process.env.GATEHOUSE_RUNTIME_KEY ?? '',
  instance: 'conformance',
  credit: 4,
  heartbeat: () => ({ ready: true, presence: 'idle', uptimeMs: 1_000, guildCount: 7, shardCount: 1 }),
  onWebhook: (event, context) => behaviours[event.path]?.(event, context),
  onState: (state) => console.error(JSON.stringify(state)),
})
process.once('SIGTERM', () => runtime.leave())
await runtime.ended
