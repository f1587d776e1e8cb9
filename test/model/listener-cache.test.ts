import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noSignature } from '../../src/domain/bots/flows/stored-signature.ts'
import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import {
  type FoundListener,
  type Listener,
  ListenerCache,
  type ListenerStore,
} from '../../src/domain/webhooks/listener.ts'
import { budget } from '../support/budget.ts'
import { ManualClock } from '../support/manual-clock.ts'

const seed = 20_260_728
const bots = ['greeter', 'guard'] as BotId[]
const paths = ['orders', 'news']

/** A store whose reads resolve only when the test lets them. They return what was stored when they started. */
class SlowListeners implements ListenerStore {
  readonly stored = new Map<string, Listener>()
  readonly #reads: (() => void)[] = []

  findListener(botId: BotId, path: string): Promise<FoundListener> {
    const found = this.stored.get(`${botId}/${path}`) ?? 'path-unknown'
    return new Promise((resolve) => this.#reads.push(() => resolve(found)))
  }

  answerOne(): void {
    this.#reads.shift()?.()
  }

  async recordKeyUse(): Promise<void> {}
}

const step = fc.record({
  kind: fc.constantFrom('read', 'answer', 'change', 'change', 'change by another node', 'wait', 'clock'),
  botId: fc.constantFrom(...bots),
  path: fc.constantFrom(...paths),
  ms: fc.integer({ min: -20_000, max: 20_000 }),
})

test('a cached listener is never older than a change made on this node, nor older than five seconds, in any order of reads and changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const clock = new ManualClock(1_000_000_000)
      const store = new SlowListeners()
      const cache = new ListenerCache({ listeners: store, clock })
      let version = 0
      /** Elapsed time, unaffected by changes to the clock. */
      let elapsedMs = 0
      const changedHere = new Map<string, number>()
      const replacedAtMs = new Map<number, number>()
      for (const { kind, botId, path, ms } of steps) {
        const key = `${botId}/${path}`
        if (kind === 'read') cache.read(botId, path)
        if (kind === 'answer') store.answerOne()
        if (kind.startsWith('change')) {
          version += 1
          const replaced = store.stored.get(key)
          if (replaced !== undefined) replacedAtMs.set(Number(replaced.flowId), elapsedMs)
          store.stored.set(key, listener(botId, version))
          if (kind === 'change') {
            changedHere.set(key, version)
            cache.forget(botId)
          }
        }
        if (kind === 'wait') {
          clock.jump(Math.abs(ms))
          elapsedMs += Math.abs(ms)
        }
        if (kind === 'clock') clock.jump(ms < 0 ? ms - limits.listenerCacheMs : ms)
        // The cache processes a resolved read in a later tick.
        await new Promise((resolve) => setImmediate(resolve))
        for (const bot of bots) {
          for (const each of paths) {
            const known = cache.recall(bot, each)
            if (known === undefined) continue
            const knownVersion = Number(known.flowId)
            const least = changedHere.get(`${bot}/${each}`) ?? 0
            assert.ok(knownVersion >= least, `version ${knownVersion} of ${bot}/${each} after ${least} was made here`)
            const replaced = replacedAtMs.get(knownVersion) ?? elapsedMs
            assert.ok(elapsedMs - replaced < limits.listenerCacheMs, `replaced ${elapsedMs - replaced} ms ago`)
          }
        }
      }
    }),
    { seed, numRuns: 200 * budget },
  )
})

function listener(botId: BotId, version: number): Listener {
  return {
    botId,
    flowId: String(version) as FlowId,
    keys: undefined,
    eventsBefore: 0,
    ordered: false,
    ...noSignature,
    dedupe: null,
  }
}
