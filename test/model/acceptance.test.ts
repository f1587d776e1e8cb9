import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import type { AcceptOutcome, NewEvent, ReceivedWebhook } from '../../src/domain/webhooks/delivery-queue.ts'
import type { EventSummary } from '../../src/domain/webhooks/event-log.ts'
import { claimOf, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { queueEngines } from '../support/adapters/queue-engines.ts'
import { anyCharacter } from '../support/any-character.ts'
import { budget } from '../support/budget.ts'
import { pluck } from '../support/together.ts'

const seed = 20_260_728

const arrival = fc.record({
  bot: fc.nat(2),
  /** Milliseconds since the previous event. */
  afterMs: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(2_000)),
  /** Deduplication mark. While it lasts, events of the bot with the same mark are duplicates. 0 means no mark. */
  mark: fc.oneof(fc.constant(0), fc.nat(3)),
  text: fc.string({ unit: anyCharacter, maxLength: 20 }),
})
/** Events within a group are accepted concurrently. Groups are processed one after another. */
const groups = fc.array(
  fc.record({ group: fc.array(arrival, { minLength: 1, maxLength: 12, size: 'max' }), laterMs: fc.nat(30_000) }),
  { maxLength: 4, size: 'max' },
)

/** Lifetime of a deduplication mark. Longer than any group lasts, so no mark expires within its group. */
const markMs = 30_000

function markOf(digest: string, acceptedAtMs: number) {
  return { digest: createHash('sha256').update(digest).digest(), untilMs: acceptedAtMs + markMs }
}

for (const [name, open] of Object.entries(queueEngines)) {
  test(`${name}: concurrent acceptance stores and lists the same events as sequential acceptance`, async (t) => {
    const { queue } = await open(t, roomy)
    let run = 0
    // Time never goes back, not even between samples. Other tests cover a clock that is set back.
    let nowMs = startMs
    await fc.assert(
      fc.asyncProperty(groups, fc.boolean(), async (groups, marked) => {
        run += 1
        const botOf = (bot: number) => `bot-${run}-${bot}` as BotId
        const model: { events: NewEvent[]; markedUntil: Map<string, number> } = { events: [], markedUntil: new Map() }
        for (const { group, laterMs } of groups) {
          nowMs += laterMs
          const given = group.map(({ bot, afterMs, mark, text }) => {
            nowMs += afterMs
            const event = newEvent({ botId: botOf(bot), acceptedAtMs: nowMs, body: Buffer.from(text) })
            return { event, mark: marked && mark > 0 ? `${run} ${bot} ${mark}` : undefined }
          })
          const outcomes = await Promise.all(
            given.map(({ event, mark }) =>
              queue.accept(event, (mark && markOf(mark, event.acceptedAtMs)) || undefined),
            ),
          )
          const expected = given.map(({ event, mark }): AcceptOutcome => {
            if (mark !== undefined && event.acceptedAtMs < (model.markedUntil.get(mark) ?? 0))
              return { kind: 'repeated' }
            if (mark !== undefined) model.markedUntil.set(mark, event.acceptedAtMs + markMs)
            model.events.push(event)
            return { kind: 'accepted' }
          })
          assert.deepEqual(outcomes, expected)
        }
        for (const bot of [0, 1, 2]) {
          const ofBot = model.events.filter(({ botId }) => botId === botOf(bot))
          const { events } = await queue.log.page(botOf(bot), {}, { most: 1_000 })
          assert.deepEqual(events.map(summary), ofBot.map(summary).reverse())
        }
        const botIds = [0, 1, 2].map(botOf)
        const holder = `runtime/${run}`
        const { deliveries } = await queue.claim(claimOf({ holder, botIds, most: 1_000, nowMs }))
        for (const botId of botIds) {
          const bodies = (events: readonly ReceivedWebhook[]) =>
            events.filter((event) => event.botId === botId).map(({ body }) => Buffer.from(body).toString('hex'))
          assert.deepEqual(bodies(deliveries), bodies(model.events))
        }
      }),
      { seed, numRuns: 15 * budget, endOnFailure: true },
    )
  })

  test(`${name}: concurrent events of the same size are accepted in order of arrival until the queue is full`, async (t) => {
    const limits = { ...roomy, maxEventsPerBot: 7, maxBytesPerBot: 50 }
    const { queue } = await open(t, limits)
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(6), fc.nat(14)), { maxLength: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (counts, bytes) => {
          run += 1
          const room = Math.min(7, Math.floor(50 / bytes))
          let taken = 0
          for (const [small, large] of counts) {
            const botId = `small-${run}` as BotId
            const count = small + large
            const accepting = Array.from({ length: count }, (_, n) =>
              queue.accept(newEvent({ botId, path: `${n}`, body: Buffer.alloc(bytes), acceptedAtMs: startMs + n })),
            )
            const fit = Math.min(count, room - taken)
            taken += fit
            const expected = Array.from({ length: count }, (_, n) => (n < fit ? 'accepted' : 'full'))
            assert.deepEqual(pluck(await Promise.all(accepting), 'kind'), expected)
          }
        },
      ),
      { seed, numRuns: 15 * budget, endOnFailure: true },
    )
  })
}

function summary({ acceptedAtMs, ...event }: EventSummary | NewEvent) {
  return [acceptedAtMs - startMs, 'body' in event ? event.body.length : event.bodyBytes]
}
