import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { BotRuntime, makeRuntime, untilStored } from './bot-runtime.ts'
import { openBot } from './people.ts'

/** Opens the scene with three flows, a runtime key, and functions that send webhooks and connect a runtime. */
export async function withQueue(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openBot(t, env)
  await scene.putFlow()
  await scene.putFlow({}, 'other', 'Other <b>')
  await scene.putFlow({ ordered: true }, 'line', 'Line')
  const { key } = await makeRuntime(scene.world)
  const post = async (body: string | Uint8Array, path = 'orders', headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body: body as string, headers }
    assert.equal((await fetch(`${scene.world.apiUrl}/bot-1/${path}`, init)).status, 202)
  }
  const connect = async () => (await BotRuntime.ready(t, scene.world, key)).runtime
  /**
   * Takes the runtime's next delivery and acknowledges it, or fails it with these members of a `nack`. Resolves with the
   * `dispatch` frame once the outcome is stored.
   */
  const handle = async (runtime: BotRuntime, failure?: object) => {
    const dispatch = await runtime.next('dispatch')
    const { delivery, id } = dispatch
    runtime.send(failure ? { type: 'nack', delivery, ...failure } : { type: 'ack', deliveries: [delivery] })
    await untilStored(scene.world, 'bot-1', id)
    return dispatch
  }
  /** Sends a webhook and makes the runtime dead-letter it. Resolves with the event's ID. */
  const deadLetter = async (runtime: BotRuntime, body: string, path?: string, error = 'No such <order>') => {
    await post(body, path)
    const { id } = await handle(runtime, { error, dead: true })
    return id as string
  }
  return { ...scene, post, connect, handle, deadLetter }
}

export const idsIn = (text: string) =>
  [...text.matchAll(/href="\/bots\/bot-1\/deliveries\/(ev[\w-]+)(?:\?[^"]*)?"/g)].map(([, id]) => id)
