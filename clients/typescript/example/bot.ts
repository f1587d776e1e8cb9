import { hostname } from 'node:os'
import process, { env, exit } from 'node:process'
import { connect } from '@gatehouse/runtime'

/** A bot that answers each webhook by posting it somewhere: to an incoming webhook of a chat, say. */

const { GATEHOUSE_URL, GATEHOUSE_RUNTIME_KEY, POST_TO } = env
if (!GATEHOUSE_URL || !GATEHOUSE_RUNTIME_KEY || !POST_TO) {
  console.error('Set GATEHOUSE_URL, GATEHOUSE_RUNTIME_KEY and POST_TO, the address that takes {"content": "…"}.')
  exit(1)
}

const startedAtMs = performance.now()
const runtime = connect({
  url: GATEHOUSE_URL,
  key: GATEHOUSE_RUNTIME_KEY,
  instance: `example-${hostname()}`,
  heartbeat: () => ({ ready: true, presence: 'online', uptimeMs: performance.now() - startedAtMs }),
  async onWebhook(event, { log, signal }) {
    const answer = await fetch(POST_TO, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: `${event.path}: ${event.text()}`.slice(0, 2_000) }),
      signal,
    })
    // Throwing means: hand it out again later.
    if (!answer.ok) throw new Error(`${new URL(POST_TO).host} answered ${answer.status}`)
    log('info', `posted ${event.path}`)
  },
})
process.once('SIGINT', () => runtime.leave())
process.once('SIGTERM', () => runtime.leave())
// Rejects when the service refuses this runtime for good: Node prints why, and exits with 1.
await runtime.ended
