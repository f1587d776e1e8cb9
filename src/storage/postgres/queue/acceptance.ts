import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { AcceptOutcome } from '../../../domain/webhooks/delivery-queue.ts'
import { Batches } from '../batches.ts'
import type { Transaction } from '../postgres-pool.ts'
import { byBot, type OfBot } from './distribution.ts'
import { addBots, type Entering, giveBack, insertEvents, isNew, reserve } from './insertion.ts'
import { acceptanceBatches, type QueueParts, statementMs } from './queue-parts.ts'

export type Entered = Exclude<AcceptOutcome, { kind: 'accepted' }> | { kind: 'accepted'; number: number }

type Bots = readonly OfBot<Waiting>[]

interface Waiting extends Entering {
  botId: BotId
  /** When the event arrived, according to the monotonic clock. */
  sinceMs: number
  resolve(outcome: Entered): void
}

const checkEveryMs = 250

/**
 * Accepts events as long as this node's memory limit and the limits on the queue permit, and stores them in batches.
 *
 * A batch is one transaction: it reserves numbers and room for each bot's events, and then stores the events of all
 * bots. New bots follow in a second transaction, and nearly full ones in a third, event by event. Rows of
 * `queue_entered` are locked in bot order, so batches never deadlock.
 */
export function newAcceptance(parts: QueueParts) {
  const { load, books, writers, distribution, ids } = parts
  const batches = new Batches<Waiting>({
    handle: write,
    maxItems: 500,
    partyOf: ({ botId }) => botId,
    concurrency: acceptanceBatches,
    bytesOf: ({ event }) => event.body.length,
  })
  const timer = setInterval(rejectLate, checkEveryMs)
  timer.unref()
  let unsyncedBytes = 0

  return {
    /** Resolves once the event is durable, or with the reason why it was not stored. */
    async accept(entering: Entering): Promise<Entered> {
      const { event } = entering
      const { botId, body } = event
      if (unsyncedBytes > limits.unsyncedBodiesMaxBytes) {
        books.figures.refusedUnavailable += 1
        return { kind: 'unavailable', cause: new StoreUnavailable('write buffer full') }
      }
      if (!load.enter(body.length)) {
        books.figures.refusedQueueFull += 1
        return { kind: 'full', of: 'queue' }
      }
      unsyncedBytes += body.length
      load.storing += 1
      const outcome = await new Promise<Entered>((resolve) => {
        batches.add({ ...entering, botId, sinceMs: performance.now(), resolve })
      })
      load.storing -= 1
      unsyncedBytes -= body.length
      if (outcome.kind === 'accepted') books.accepted(event)
      else load.leave(1, body.length)
      if (outcome.kind === 'full') books.figures.refusedBotFull += 1
      if (outcome.kind === 'unavailable') books.figures.refusedUnavailable += 1
      return outcome
    },

    /** Resolves once each of the bot's events that is currently being stored has been stored or rejected. */
    async settled(botId: BotId): Promise<void> {
      await batches.handled((event) => event.botId === botId)
    },

    async close(): Promise<void> {
      await batches.idle()
      clearInterval(timer)
    },
  }

  function rejectLate(): void {
    const before = performance.now() - statementMs
    const isLate = ({ sinceMs }: Waiting) => sinceMs < before
    const cause = new StoreUnavailable(`webhook not stored within ${statementMs} ms`)
    // Events in flight may still be stored although the sender gets an error, so the sender's retry can be a duplicate.
    for (const { resolve } of [...batches.inFlight.filter(isLate), ...batches.withdraw(isLate)]) {
      resolve({ kind: 'unavailable', cause })
    }
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const left = await isolated(batch, (bots) => writeSteps([bots], false))
    const nearlyFull = await isolated(left, (bots) => writeSteps([bots], true))
    const full = await isolated(nearlyFull, (bots) => {
      const single = bots.flatMap(({ botId, items }) => items.map((each) => [{ botId, items: [each] }]))
      return writeSteps(single, false)
    })
    for (const { resolve } of full) resolve({ kind: 'full', of: 'bot' })
  }

  /** Runs the work for the events, and returns those that remain. A failing event or worker doesn't fail others. */
  async function isolated(events: readonly Waiting[], work: (bots: Bots) => Promise<Waiting[]>): Promise<Waiting[]> {
    if (events.length === 0) return []
    try {
      return await work(byBot(events))
    } catch (cause) {
      const isUnavailable = cause instanceof StoreUnavailable
      const parts = isUnavailable ? distribution.parts(events) : events.map((each) => [each])
      if (parts.length === 1) for (const { resolve } of events) resolve({ kind: 'unavailable', cause })
      // Concurrently, because a worker that fails to respond delays the parts that need it. A bot's events stay in
      // order.
      else if (isUnavailable) await Promise.all(parts.map((part) => write(part)))
      else for (const part of parts) await write(part)
      return []
    }
  }

  /**
   * Stores events in steps, all in one transaction. Each step stores a bot's events only if all of them fit. Resolves
   * with the events that were not stored.
   *
   * @param addsBots whether to add the rows of unknown bots first.
   */
  async function writeSteps(steps: readonly Bots[], addsBots: boolean): Promise<Waiting[]> {
    const bots = steps.flat()
    const most = load.limitsOfBot(bots.flatMap(({ items }) => items.map(({ event }) => event.body.length)))
    await distribution.learn(writers, bots)
    return writers.transaction(async (transaction) => {
      const adding = addsBots && addBots(transaction, bots, ids.withoutBotBelow)
      const reserving = steps.map((step) => reserve(transaction, distribution, step, most))
      const [numbers] = await Promise.all([Promise.all(reserving), adding])
      return store(transaction, bots, numbers.flat())
    })
  }

  /** Stores the numbered events that are new, and commits. Resolves with those that have no number. */
  async function store(transaction: Transaction, bots: Bots, numbersOf: readonly (readonly number[] | undefined)[]) {
    let events = bots.flatMap(({ items }, at) => (numbersOf[at] === undefined ? [] : items))
    let numbers = numbersOf.flatMap((each = []) => each)
    let repeated: Waiting[] = []
    if (events.some(({ mark, replay }) => mark !== undefined || replay !== undefined)) {
      const kept = await Promise.all(events.map((each, at) => isNew(transaction, each, numbers[at] as number)))
      repeated = events.filter((_, at) => !kept[at])
      numbers = numbers.filter((_, at) => kept[at])
      events = events.filter((_, at) => kept[at])
    }
    await Promise.all([
      ...byBot(repeated).map((ofBot) => giveBack(transaction, ofBot)),
      events.length > 0 && insertEvents(transaction, events, numbers),
      transaction.commit(),
    ])
    // After the next batch has been sent, so that resolving callers doesn't delay that batch.
    setImmediate(() => {
      for (const [at, { resolve }] of events.entries()) resolve({ kind: 'accepted', number: numbers[at] as number })
      for (const { resolve } of repeated) resolve({ kind: 'repeated' })
    })
    return bots.flatMap(({ items }, at) => (numbersOf[at] === undefined ? items : []))
  }
}
