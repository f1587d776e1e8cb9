import { hostname } from 'node:os'
import process, { env, exit } from 'node:process'
import { connect } from '@gatehouse/runtime'

/** A bot that posts each webhook to a URL, such as the incoming webhook of a chat. */

const { GATEHOUSE_URL, GATEHOUSE_RUNTIME_KEY, POST_TO } = env
if (!GATEHOUSE_URL || !GATEHOUSE_RUNTIME_KEY || !POST_TO) {
  console.error('Set GATEHOUSE_URL, GATEHOUSE_RUNTIME_KEY and POST_TO, a URL that accepts {"content": "…"}.')
  exit(1)
}

const startedAtMs = performance.now()
const runtime = connect({
  url: GATEHOUSE_URL,
  key: GATEHOUSE_RUNTIME_KEY,
  instance: `example-${hostname()}`,
  heartbeat: () => ({ ready: true, presence: 'online', uptimeMs: performance.now() - startedAtMs }),
  async onWebhook(event, { log, signal }) {
    const response = await fetch(POST_TO, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: `${event.path}: ${event.text()}`.slice(0, 2_000) }),
      signal,
    })
    // Throwing requests a retry.
    if (!response.ok) throw new Error(`${new URL(POST_TO).host} responded with ${response.status}`)
    log('info', `posted ${event.path}`)
  },
})
process.once('SIGINT', () => runtime.leave())
process.once('SIGTERM', () => runtime.leave())
// Rejects if the service refuses this runtime permanently. Node then prints the reason and exits with code 1.
await runtime.ended
