import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EventFilter, eventStates } from '../../src/domain/webhooks/event-log.ts'
import { claimOf, greeter, guard, holder, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { queueEngines } from '../support/adapters/queue-engines.ts'
import { budget } from '../support/budget.ts'
import { pluck } from '../support/together.ts'
import { asListed, flowIds, headers, isUnfinished, type PlainEvent, PlainQueue } from './plain-queue.ts'

const often = (kinds: Record<string, number>) =>
  Object.entries(kinds).flatMap(([kind, times]) => Array(times).fill(kind))

const command = fc.record({
  kind: fc.constantFrom<string>(
    ...often({ accept: 8, claim: 8, acknowledge: 3, fail: 5, release: 2, answerLate: 1, discard: 1, discardDead: 1 }),
    ...often({ replay: 2, tryNow: 1, switchOrder: 3, createAgain: 2, wait: 2, flush: 1, restart: 1 }),
  ),
  /** Chooses one of the events that the command can concern. */
  nth: fc.nat(20),
  flowId: fc.constantFrom(...flowIds),
  /** Whether the accepting node takes the flow for one with strict order. It can be outdated. */
  ordered: fc.boolean(),
  bytes: fc.constantFrom(0, 6, 2_048, 2_049, 9_000),
  retryMs: fc.constantFrom(undefined, 0, 1_000, 60_000),
  dead: fc.constantFrom(false, false, true),
  error: fc.constantFrom(undefined, 'no', 'half a pair: \ud83d, "}], \\ and "error":"x"}]', 'x'.repeat(5_000)),
  ms: fc.constantFrom(1, 1_000, 60_000, 3_600_000),
})
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

const filter = fc.record({
  flowId: fc.constantFrom(undefined, ...flowIds),
  state: fc.constantFrom(undefined, ...eventStates),
  from: fc.option(fc.nat(20), { nil: undefined }),
  until: fc.option(fc.nat(20), { nil: undefined }),
  most: fc.integer({ min: 1, max: 4 }),
})
const runs = fc.tuple(
  fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }),
  fc.array(filter, { minLength: 4, maxLength: 4 }),
)

for (const [name, open] of Object.entries(queueEngines)) {
  test(`${name}: the queue hands out and lists the same events as a plain list, whatever happens to events and flows`, async (t) => {
    const { queue: opened, setStrict, again } = await open(t, roomy)
    let queue = opened
    let nowMs = startMs
    let accepted = 0
    let stale = ''
    /** Events of another bot, which wait. */
    let others = 0

    /** Performs the command on the queue and on the plain one, and compares what the queue returns. */
    function commandsOn(plain: PlainQueue): Record<string, (command: Command) => Promise<unknown>> {
      const chosen = ({ nth }: Command, isPossible: (event: PlainEvent) => boolean = () => true) => {
        const possible = plain.events.filter(isPossible)
        return possible[nth % Math.max(1, possible.length)]
      }
      const leased = (command: Command) => chosen(command, ({ listed }) => listed.state === 'leased')
      const applySettings = async () => {
        await setStrict(plain.strictFlows())
        await queue.applyFlowSettings(greeter)
      }
      return {
        async accept({ flowId, ordered, bytes }) {
          accepted += 1
          const path = String(accepted)
          const event = newEvent({
            flowId,
            ordered,
            path,
            headers,
            body: Buffer.alloc(bytes, path),
            acceptedAtMs: nowMs,
          })
          if (ordered) others += 1
          if (ordered) await queue.accept({ ...event, botId: guard, body: Buffer.from('x') })
          assert.deepEqual(await queue.accept(event), { kind: 'accepted' })
          plain.accept(event)
        },
        async claim() {
          const [delivery] = (await queue.claim(claimOf({ most: 1, nowMs }))).deliveries
          const event = plain.claim(delivery?.id, delivery?.delivery ?? '', nowMs)
          if (event === undefined) return
          const { listed, received } = event
          const { delivery: _, ...rest } = { ...delivery, body: Buffer.from(delivery?.body ?? []) }
          assert.deepEqual(rest, { ...received, id: listed.id, attempt: listed.attempts, replayOf: listed.replayOf })
        },
        async acknowledge(command) {
          const event = leased(command)
          await queue.acknowledge(holder, [event?.delivery ?? ''], nowMs)
          if (event) plain.acknowledge(event, nowMs)
        },
        async fail(command) {
          const event = leased(command)
          const { retryMs, dead, error } = command
          await queue.fail(holder, [{ delivery: event?.delivery ?? '', failedAtMs: nowMs, retryMs, dead, error }])
          if (event === undefined) return
          stale = event.delivery
          plain.fail(event, { failedAtMs: nowMs, retryMs, dead, error })
        },
        async release(command) {
          const event = leased(command)
          await queue.release(holder, [event?.delivery ?? ''])
          if (event === undefined) return
          stale = event.delivery
          plain.release(event)
        },
        /** Answers for an attempt that has ended, and for one of another runtime, change nothing. */
        async answerLate(command) {
          const event = leased(command)
          for (const [by, delivery] of Object.entries({ [holder]: stale, 'runtime/two': event?.delivery ?? '' })) {
            await queue.acknowledge(by, [delivery], nowMs)
            await queue.fail(by, [{ delivery, failedAtMs: nowMs, dead: true }])
            await queue.release(by, [delivery])
            assert.deepEqual(await queue.renew(by, [delivery], nowMs), [delivery])
          }
          const held = event ? [event.delivery] : []
          assert.deepEqual(await queue.renew(holder, [...held, 'ev1-1', ''], nowMs), ['ev1-1', ''])
        },
        async discard(command) {
          const event = chosen(command)
          const isReady = event?.listed.state === 'ready'
          assert.equal(await queue.discardWaiting(guard, event?.listed.id ?? ''), false)
          assert.equal(await queue.discardWaiting(greeter, event?.listed.id ?? ''), isReady)
          if (isReady) plain.remove(event)
        },
        async discardDead(command) {
          const event = chosen(command)
          const isDead = event?.listed.state === 'dead'
          assert.equal(await queue.discardDead(greeter, [event?.listed.id ?? '', 'ev1']), Number(isDead))
          if (isDead) plain.remove(event)
        },
        async replay(command) {
          const event = chosen(command)
          assert.deepEqual(await queue.replay(guard, event?.listed.id ?? '', nowMs), { kind: 'unknown' })
          const outcome = await queue.replay(greeter, event?.listed.id ?? '', nowMs)
          if (event === undefined) return assert.deepEqual(outcome, { kind: 'unknown' })
          if (outcome.kind !== 'accepted') return assert.fail(outcome.kind)
          assert.equal((await queue.log.find(greeter, outcome.id))?.replayOf, event.listed.id)
          plain.replay(event, nowMs)
          event.listed.replayedAs = outcome.id
        },
        async tryNow(command) {
          const event = chosen(command)
          assert.equal(await queue.tryNow(guard, event?.listed.id ?? '', nowMs), false)
          const hasRetry = event !== undefined && plain.tryNow(event, nowMs)
          assert.equal(await queue.tryNow(greeter, event?.listed.id ?? '', nowMs), hasRetry)
        },
        async switchOrder({ flowId }) {
          plain.flow(flowId).strict = !plain.flow(flowId).strict
          await applySettings()
        },
        async createAgain({ flowId }) {
          plain.createAgain(flowId, await queue.lastAccepted(greeter))
          await applySettings()
        },
        async wait({ ms }) {
          nowMs += ms
        },
        async flush() {
          await queue.flushCounts()
        },
        async restart() {
          await queue.flushCounts()
          queue = await again(nowMs)
        },
      }
    }

    async function assertSame(plain: PlainQueue): Promise<void> {
      const { log } = queue
      const { events: followed, cursor } = await log.follow(greeter, plain.cursor, 9)
      plain.cursor = cursor
      assert.deepEqual(followed.map(asListed), plain.named(pluck(followed, 'id')))
      const { events: page } = await log.page(greeter, {}, { most: 1_000 })
      assert.deepEqual(page.map(asListed), plain.list({}))
      const waitedFor = [...(await log.waitedFor(greeter, page))].map(([id, head]) => [id, asListed(head)])
      assert.deepEqual(new Map(waitedFor as [string, object][]), plain.waitedFor())
      for (const event of [plain.events.at(-1), plain.events.find(isUnfinished)]) {
        if (event === undefined) continue
        const { id } = event.listed
        assert.deepEqual([await log.botOf([guard, greeter], id), await log.botOf([guard], id)], [greeter, undefined])
        assert.equal(await log.find(guard, id), undefined)
        const { headers, clientIp, body, history, ...listed } = (await log.find(greeter, id)) ?? assert.fail(id)
        const { received } = event
        assert.deepEqual(asListed(listed), event.listed)
        assert.deepEqual([headers, clientIp, Buffer.from(body)], [received.headers, received.clientIp, received.body])
        const attempts = history.map(({ error, ...attempt }) => ({ ...attempt, error: error?.toWellFormed() }))
        assert.deepEqual(attempts, event.history)
      }
      const unfinished = plain.events.filter(isUnfinished)
      const bytes = unfinished.reduce((sum, { listed }) => sum + listed.bodyBytes, 0)
      const depths = [
        { botId: greeter, events: unfinished.length, bytes },
        { botId: guard, events: others, bytes: others },
      ]
      const fullest = depths.filter(({ events }) => events > 0).sort((one, other) => other.events - one.events)
      assert.deepEqual(await log.fullest(9), fullest)
      assert.deepEqual(await log.fullest(1), fullest.slice(0, 1))
      const ids = pluck(plain.list({}), 'id')
      const starts = await log.bodyStarts(greeter, [...ids, 'ev1', 'x'], 6)
      const bodies = plain.events.map(({ listed, received }) => [listed.id, received.body.subarray(0, 6)] as const)
      assert.deepEqual(new Map([...starts].map(([id, start]) => [id, Buffer.from(start)])), new Map(bodies))
      assert.equal((await log.bodyStarts(guard, ids, 6)).size, 0)
    }

    async function assertFiltered(plain: PlainQueue, filter: EventFilter, most: number): Promise<void> {
      const { log } = queue
      const expected = plain.list(filter)
      const walked: unknown[] = []
      for (let before: string | undefined, isLast = false; !isLast; isLast = before === undefined) {
        const { events, next } = await log.page(greeter, filter, { before, most })
        assert.ok(events.length <= most)
        walked.push(...events.map(asListed))
        before = next
      }
      assert.deepEqual(walked, expected)
      const all = await log.pageAfter(greeter, filter, { most: 1_000 })
      assert.deepEqual(all.map(asListed), expected.toReversed())
      const [after] = all
      if (after) {
        const next = await log.pageAfter(greeter, filter, { after: after.id, most })
        assert.deepEqual(next.map(asListed), expected.toReversed().slice(1, 1 + most))
      }
      const { state: _, ...others } = filter
      const counts = await log.countStates(greeter, others, 1_000)
      for (const state of eventStates) {
        assert.deepEqual(counts[state], { events: plain.list({ ...others, state }).length, more: false })
      }
      const { causes, more } = await log.deadLetterCauses(greeter, others, 1_000)
      const byFrequency = causes.toSorted((one, other) => other.events - one.events || other.lastAtMs - one.lastAtMs)
      assert.deepEqual(causes, byFrequency)
      const wellFormed = causes.map(({ error, ...cause }) => ({ ...cause, error: error?.toWellFormed() }))
      assert.deepEqual([new Set(wellFormed), more], [new Set(plain.causes(others)), false])
    }

    async function assertCounted(plain: PlainQueue): Promise<void> {
      const hours = [startMs, nowMs]
      for (const sinceMs of hours) {
        for (const flowId of [undefined, ...flowIds]) {
          assert.deepEqual(await queue.log.counts(greeter, flowId, sinceMs), plain.counts(flowId, sinceMs))
        }
        for (const flowId of flowIds) {
          const dead = (await queue.log.deadLetters([guard, greeter], sinceMs)).filter((each) => each.flowId === flowId)
          const sumOf = (counts: readonly { dead: number }[]) => counts.reduce((sum, each) => sum + each.dead, 0)
          assert.equal(sumOf(dead), sumOf(plain.counts(flowId, sinceMs)))
        }
      }
    }

    await fc.assert(
      fc.asyncProperty(runs, async ([commands, filters]) => {
        const { cursor } = await queue.log.follow(greeter, undefined, 9)
        const plain = new PlainQueue(cursor)
        const commandsOf = commandsOn(plain)
        await setStrict([])
        for (const each of commands) {
          const perform = commandsOf[each.kind] ?? assert.fail(each.kind)
          await perform(each)
          await assertSame(plain)
        }
        const timeOf = (nth: number | undefined) =>
          nth === undefined ? undefined : plain.events.at(nth % Math.max(1, plain.events.length))?.listed.acceptedAtMs
        for (const { flowId, state, from, until, most } of filters) {
          await assertFiltered(plain, { flowId, state, sinceMs: timeOf(from), untilMs: timeOf(until) }, most)
        }
        await assertCounted(plain)
        await queue.flushCounts()
        await assertCounted(plain)
        for (const botId of [greeter, guard]) await queue.discard(botId, await queue.lastAccepted(botId), 'remove')
        others = 0
        assert.deepEqual(await queue.log.counts(greeter, undefined, startMs), [])
      }),
      { seed: 20_260_105, numRuns: 15 * budget, endOnFailure: true },
    )
  })
}
