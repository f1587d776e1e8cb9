import type { TestContext } from 'node:test'
import { reportOf } from '../support/bot-runtime.ts'
import { openEventReceiver } from '../support/event-receiver.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Opens a world with the users Ada and Bob, Ada’s bot `bot-1`, and a receiver of events on this machine. */
export async function openScene(t: TestContext, env: Record<string, string> = {}, nowMs?: number) {
  const world = await openWorld(t, { EVENTS_ALLOW_PRIVATE: 'true', ...env }, nowMs === undefined ? {} : { nowMs })
  const receiver = await openEventReceiver(t)
  const call = (method: string, path: string, body?: object) => provision(world, method, `/v1/${path}`, body)
  await call('PUT', 'users/ada', { name: 'Ada' })
  await call('PUT', 'users/bob', { name: 'Bob' })
  const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '12345678901234567', hostingEnabled: true }
  await call('PUT', 'bots/bot-1', bot)
  /** Creates a subscription whose path at the receiver is its ID. Returns its signing secret. */
  const subscribe = async (id: string, types: string[], ownerId: string | null = null): Promise<string> => {
    const made = await call('PUT', `subscriptions/${id}`, { url: `${receiver.url}/${id}`, types, ownerId })
    if (made.status !== 201) throw new Error(JSON.stringify(made.json))
    return made.json.secret
  }
  /** Resolves with the subscription's latest delivery once it is in this state and has had this many attempts. */
  const delivery = (id: string, state: string, attempts = 1) =>
    eventually(async () => {
      const [latest] = (await call('GET', `subscriptions/${id}/deliveries`)).json.items
      return latest?.state === state && latest.attempts === attempts ? latest : undefined
    })
  /** Lets time pass until the receiver has this many events on the path. Returns them. */
  const receivedInTime = (path: string, count = 1) =>
    advanceUntil(world.clock, () => receiver.at(path).length >= count && receiver.at(path))
  /** Records a heartbeat of `bot-1`. */
  const report = (ready: boolean) => world.service.bots.heartbeats.record([reportOf('bot-1', ready)])
  return { world, receiver, call, subscribe, delivery, receivedInTime, report }
}
