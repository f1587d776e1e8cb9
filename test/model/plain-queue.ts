import assert from 'node:assert/strict'
import type { FlowId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import type { DeadLetterCause } from '../../src/domain/webhooks/dead-letter-causes.ts'
import type { Failure, NewEvent, ReceivedWebhook, StrictFlow } from '../../src/domain/webhooks/delivery-queue.ts'
import type { Attempt, EventFilter, EventSummary, HourlyCount } from '../../src/domain/webhooks/event-log.ts'
import { afterFailure } from '../../src/domain/webhooks/retry.ts'
import { greeter } from '../contract/queue-scene.ts'

export const flowIds = ['a', 'b'] as FlowId[]
export const headers = { contentType: 'a/b', userAgent: undefined, forwardedFor: 'ä, b', requestId: '' }

const figures = ['accepted', 'delivered', 'failed', 'dead'] as const
const hourMs = 3_600_000

/** A flow from its creation to its removal. A later one with the same ID is another object. */
interface PlainFlow {
  strict: boolean
  eventsBefore: number
}

export interface PlainEvent {
  /** As the log must list it. The ID is empty until the queue has named the event. */
  listed: EventSummary
  received: ReceivedWebhook
  flow: PlainFlow
  /** Meaningful only while the event is leased. */
  delivery: string
  dueAtMs: number
  /** False once a retry was released: it is due at once, but its place among the others is not promised. */
  hasPlace: boolean
  history: Attempt[]
}

/** An error can contain half of a surrogate pair, which SQLite replaces. */
export function asListed(event: EventSummary): EventSummary {
  return { ...event, lastError: event.lastError?.toWellFormed() }
}

export function isUnfinished({ listed }: PlainEvent): boolean {
  return listed.finishedAtMs === undefined
}

/** The plainest delivery queue of one bot: a list of its events in the order accepted. */
export class PlainQueue {
  events: PlainEvent[] = []
  /** Where the log is followed from. */
  cursor: string
  #unnamed: PlainEvent[] = []
  readonly #flows = new Map<FlowId, PlainFlow>(flowIds.map((id) => [id, { strict: false, eventsBefore: 0 }]))
  readonly #counts: (HourlyCount & { flowId: FlowId })[] = []

  constructor(cursor: string) {
    this.cursor = cursor
  }

  flow(id: FlowId): PlainFlow {
    return this.#flows.get(id) ?? assert.fail(id)
  }

  createAgain(id: FlowId, eventsBefore: number): void {
    this.#flows.set(id, { strict: this.flow(id).strict, eventsBefore })
    for (const { flow, listed } of this.events) {
      if (listed.flowId === id) flow.strict = false
    }
  }

  strictFlows(): StrictFlow[] {
    const strict = [...this.#flows].filter(([, flow]) => flow.strict)
    return strict.map(([flowId, { eventsBefore }]) => ({ botId: greeter, flowId, eventsBefore }))
  }

  accept({ ordered: _, ...received }: NewEvent, replayOf?: string): void {
    const { flowId, path, acceptedAtMs, body } = received
    const none = { finishedAtMs: undefined, lastError: undefined, deadBecause: undefined, replayedAs: undefined }
    const listed = { id: '', flowId, path, acceptedAtMs, bodyBytes: body.length, replayOf, ...none }
    const event: PlainEvent = {
      listed: { ...listed, state: 'ready', attempts: 0, dueAtMs: acceptedAtMs },
      ...{ received, flow: this.flow(flowId), delivery: '', dueAtMs: acceptedAtMs, hasPlace: true, history: [] },
    }
    this.events.push(event)
    this.#unnamed.push(event)
    this.#count('accepted', event, acceptedAtMs)
  }

  replay({ received, listed }: PlainEvent, nowMs: number): void {
    this.accept({ ...received, acceptedAtMs: nowMs, ordered: false }, listed.id)
  }

  /** Gives the events accepted since the last call their IDs. Returns how the log lists them. */
  named(ids: readonly string[]): EventSummary[] {
    const named = this.#unnamed
    this.#unnamed = []
    for (const [at, { listed }] of named.entries()) listed.id = ids[at] ?? ''
    return named.map(({ listed }) => listed)
  }

  /** Leases this event, which must be one that a claim may return; `undefined` only if there is none. */
  claim(id: string | undefined, delivery: string, nowMs: number): PlainEvent | undefined {
    const claimable = this.events.filter(
      (event) => event.listed.state === 'ready' && event.dueAtMs <= nowMs && (this.#head(event) ?? event) === event,
    )
    const event = claimable.find(({ listed }) => listed.id === id)
    assert.equal(event?.listed.id, id, 'the event is claimable')
    if (event === undefined) return void assert.deepEqual(claimable, [], 'an event is claimed if one is claimable')
    const { listed, history } = event
    const first = claimable.find((other) => other.listed.attempts === 0)
    if (listed.attempts === 0) assert.equal(first, event, 'in the order accepted')
    if (claimable.every(({ hasPlace }) => hasPlace)) {
      assert.equal(event.dueAtMs, Math.min(...claimable.map(({ dueAtMs }) => dueAtMs)), 'in the order due')
    }
    Object.assign(listed, { state: 'leased', attempts: listed.attempts + 1, dueAtMs: undefined })
    const attempt = listed.attempts
    history.push({ attempt, beganAtMs: nowMs, endedAtMs: undefined, outcome: 'under-way', error: undefined })
    return Object.assign(event, { delivery })
  }

  acknowledge(event: PlainEvent, nowMs: number): void {
    Object.assign(event.listed, { state: 'done', finishedAtMs: nowMs })
    Object.assign(event.history.at(-1) ?? {}, { endedAtMs: nowMs, outcome: 'acknowledged' })
    this.#count('delivered', event, nowMs)
  }

  fail(event: PlainEvent, { failedAtMs, error, ...failure }: Omit<Failure, 'delivery'>): void {
    const { attempts: attempt, acceptedAtMs } = event.listed
    const lastError = error?.slice(0, limits.runtimeErrorMaxCharacters).toWellFormed()
    Object.assign(event.listed, { lastError })
    Object.assign(event.history.at(-1) ?? {}, { endedAtMs: failedAtMs, outcome: 'failed', error: lastError })
    this.#count('failed', event, failedAtMs)
    const next = afterFailure({ attempt, acceptedAtMs, failedAtMs, ...failure }, 0)
    if (next.kind === 'retry') {
      Object.assign(event.listed, { state: 'ready', dueAtMs: next.dueAtMs })
      Object.assign(event, { dueAtMs: next.dueAtMs, hasPlace: true })
    } else {
      Object.assign(event.listed, { state: 'dead', finishedAtMs: failedAtMs, deadBecause: next.because })
      this.#count('dead', event, failedAtMs)
    }
  }

  release(event: PlainEvent): void {
    const { listed, dueAtMs, history } = event
    history.pop()
    Object.assign(listed, { state: 'ready', attempts: listed.attempts - 1, dueAtMs })
    event.hasPlace = listed.attempts === 0
  }

  remove(event: PlainEvent): void {
    this.events = this.events.filter((other) => other !== event)
  }

  /** Returns whether the event has a retry that is scheduled for later. */
  tryNow(event: PlainEvent, nowMs: number): boolean {
    const { state, attempts } = event.listed
    if (state !== 'ready' || attempts === 0 || event.dueAtMs <= nowMs) return false
    event.listed.dueAtMs = nowMs
    event.dueAtMs = nowMs
    return true
  }

  list({ flowId, state, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY }: EventFilter): EventSummary[] {
    const all = this.events.map(({ listed }) => listed).reverse()
    return all.filter(
      (each) =>
        (flowId ?? each.flowId) === each.flowId &&
        (state ?? each.state) === each.state &&
        each.acceptedAtMs >= sinceMs &&
        each.acceptedAtMs < untilMs,
    )
  }

  waitedFor(): Map<string, EventSummary> {
    const waiting = this.events.filter(({ listed }) => listed.state === 'ready')
    const heads = waiting.flatMap((event) => {
      const head = this.#head(event)
      return head === undefined || head === event ? [] : [[event.listed.id, head.listed] as const]
    })
    return new Map(heads)
  }

  causes(filter: EventFilter): DeadLetterCause[] {
    const dead = this.list({ ...filter, state: 'dead' })
    return [...Map.groupBy(dead, ({ lastError, deadBecause }) => lastError ?? deadBecause).values()].map((all) => ({
      error: all[0]?.lastError,
      because: all[0]?.lastError === undefined ? all[0]?.deadBecause : undefined,
      events: all.length,
      unreplayed: all.filter(({ replayedAs }) => replayedAs === undefined).length,
      lastAtMs: Math.max(...all.map(({ finishedAtMs = 0 }) => finishedAtMs)),
    }))
  }

  counts(flowId: FlowId | undefined, sinceMs: number): HourlyCount[] {
    const counted = this.#counts.filter(
      (each) => (flowId ?? each.flowId) === each.flowId && each.hourMs > sinceMs - hourMs,
    )
    const hours = [...Map.groupBy(counted, ({ hourMs }) => hourMs)].sort(([one], [other]) => one - other)
    return hours.map(([hourMs, flows]) => {
      const sums: HourlyCount = { hourMs, accepted: 0, delivered: 0, failed: 0, dead: 0 }
      for (const flow of flows) for (const figure of figures) sums[figure] += flow[figure]
      return sums
    })
  }

  /** The first unfinished event of the event's flow, if that has strict order. */
  #head({ flow }: PlainEvent): PlainEvent | undefined {
    return flow.strict ? this.events.find((other) => other.flow === flow && isUnfinished(other)) : undefined
  }

  #count(figure: (typeof figures)[number], { listed: { flowId } }: PlainEvent, atMs: number): void {
    const inHour = atMs - (atMs % hourMs)
    let count = this.#counts.find((each) => each.flowId === flowId && each.hourMs === inHour)
    if (count === undefined) {
      count = { flowId, hourMs: inHour, accepted: 0, delivered: 0, failed: 0, dead: 0 }
      this.#counts.push(count)
    }
    count[figure] += 1
  }
}
