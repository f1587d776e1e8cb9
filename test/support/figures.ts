import assert from 'node:assert/strict'
import type { World } from './world.ts'

/**
 * Returns Gatehouse’s own samples whose names, without `gatehouse_`, begin with the prefix. The keys are the rest of the
 * name, and the labels: with the prefix `queue_`, the sample `gatehouse_queue_events` has the key `events`.
 */
export async function figuresOf(world: World, prefix = ''): Promise<Record<string, number>> {
  const answer = await fetch(`${world.controlUrl}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers.get('content-type')), /^text\/plain; version=0\.0\.4/)
  const samples = (await answer.text()).matchAll(new RegExp(`^gatehouse_${prefix}(.*) (\\S+)$`, 'gm'))
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]))
}
