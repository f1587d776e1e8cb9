import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime, makeRuntime } from './bot-runtime.ts'
import { eventually } from './eventually.ts'
import { openBot, provision } from './people.ts'

/** Opens the scene with three flows, a runtime key, and functions that send webhooks and connect a runtime. */
export async function withQueue(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openBot(t, env)
  const flow = (id: string, name: string, ordered = false) =>
    provision(scene.world, 'PUT', `/v1/bots/bot-1/flows/${id}`, {
      kind: 'event',
      name,
      webhook: { path: id, requiresKey: false, ordered },
    })
  await flow('orders', 'Orders')
  await flow('other', 'Other <b>')
  await flow('line', 'Line', true)
  const { key } = await makeRuntime(scene.world)
  const post = async (body: string | Uint8Array, path = 'orders', headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body: body as string, headers }
    assert.equal((await fetch(`${scene.world.apiUrl}/bot-1/${path}`, init)).status, 202)
  }
  const connect = async () => (await BotRuntime.ready(t, scene.world, key)).runtime
  /** Sends a webhook and makes the runtime dead-letter it. Resolves with the event's ID. */
  const deadLetter = async (runtime: BotRuntime, body: string, path?: string, error = 'No such <order>') => {
    await post(body, path)
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error, dead: true })
    await eventually(async () => (await scene.world.service.queue.log.find('bot-1' as BotId, id))?.deadBecause)
    return id as string
  }
  return { ...scene, post, connect, deadLetter }
}

export const idsIn = (text: string) =>
  [...text.matchAll(/href="\/bots\/bot-1\/deliveries\/(ev[\w-]+)(?:\?[^"]*)?"/g)].map(([, id]) => id)
