import assert from 'node:assert/strict'
import type { World } from './world.ts'

/** Returns Gatehouse’s own samples, keyed by name and labels, or those with this prefix, by what follows it. */
export async function figuresOf(world: World, prefix = ''): Promise<Record<string, number>> {
  const answer = await fetch(`${world.controlUrl}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers.get('content-type')), /^text\/plain; version=0\.0\.4/)
  const samples = (await answer.text()).matchAll(new RegExp(`^gatehouse_${prefix}(.*) (\\S+)$`, 'gm'))
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]))
}
