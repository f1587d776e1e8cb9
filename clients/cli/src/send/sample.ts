import { randomUUID } from 'node:crypto'
import type { Signing } from '../command-line.ts'

export interface Sample {
  body: string
  headers: Readonly<Record<string, string>>
}

/**
 * Returns a webhook like those that the preset's sender sends. Each call creates a new ID, at the place where that
 * sender puts it, so that a flow with deduplication doesn't drop the sample.
 */
export function sampleOf(preset: Signing['preset'] | undefined, nowMs: number): Sample {
  const id = randomUUID()
  const json = (body: object): string => JSON.stringify(body)
  switch (preset) {
    case 'github':
      return {
        body: json({ zen: 'Keep it logically awesome.', hook_id: 1 }),
        headers: { 'x-github-event': 'ping', 'x-github-delivery': id },
      }
    case 'stripe':
      return {
        body: json({ id: `evt_${id}`, object: 'event', type: 'sample', created: Math.floor(nowMs / 1_000) }),
        headers: {},
      }
    case 'slack':
      return { body: json({ type: 'event_callback', event_id: id, event: { type: 'sample' } }), headers: {} }
    case 'shopify':
      return { body: json({ id: 1 }), headers: { 'x-shopify-topic': 'sample/create', 'x-shopify-webhook-id': id } }
    default:
      return {
        body: json({ id, type: 'sample', text: 'Hello from gatehouse send', sentAt: new Date(nowMs).toISOString() }),
        headers: {},
      }
  }
}
