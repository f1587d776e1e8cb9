import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FlowId } from '../../src/domain/ids-and-secrets.ts'
import { claimOf, greeter, holder, newEvent, startMs } from '../contract/queue-scene.ts'
import { roomy } from '../contract/queue-under-test.ts'
import { queueEngines } from '../support/adapters/queue-engines.ts'
import { budget } from '../support/budget.ts'

const flowIds = ['a', 'b'] as FlowId[]

const flow = fc.constantFrom(...flowIds)
const pick = fc.nat(20)
const command = fc.oneof(
  // `ordered` is what the accepting node believes, which can be outdated.
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('accept'), flow, ordered: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('claim') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('acknowledge'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fail'), pick, retryMs: fc.constantFrom(0, 1_000, 60_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), pick, retryMs: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('switch'), flow }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create again'), flow }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('later'), ms: fc.constantFrom(1, 1_000, 60_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
)

interface ModelEvent {
  /** Its place in the order of acceptance, which is also its path. */
  path: string
  flow: ModelFlow
  delivery: string | undefined
  isFirst: boolean
  dueAtMs: number
}

/** A flow from its creation to its removal. A later one with the same ID is another object. */
interface ModelFlow {
  id: FlowId
  strict: boolean
}

for (const [name, open] of Object.entries(queueEngines)) {
  test(`${name}: claims follow the flows’ current settings, however often these change and flows are created again`, async (t) => {
    const { queue: opened, setStrict, again } = await open(t, { ...roomy, maxEventsPerBot: 1e6, maxEvents: 1e6 })
    let queue = opened
    let nowMs = startMs
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }), async (commands) => {
        const flows = new Map<FlowId, ModelFlow>(flowIds.map((id) => [id, { id, strict: false }]))
        const before = new Map(flowIds.map((id) => [id, 0]))
        let events: ModelEvent[] = []
        const isLeased = (event: ModelEvent) => event.delivery !== undefined
        const headOf = (event: ModelEvent) =>
          event.flow.strict ? events.find((earlier) => earlier.flow === event.flow) : undefined
        const isClaimable = (event: ModelEvent) =>
          !isLeased(event) && event.dueAtMs <= nowMs && (headOf(event) ?? event) === event
        const applySettings = async () => {
          const strict = flows.values().filter((each) => each.strict)
          await setStrict(
            [...strict].map(({ id }) => ({ botId: greeter, flowId: id, eventsBefore: before.get(id) ?? 0 })),
          )
          await queue.applyFlowSettings(greeter)
        }
        const pickFrom = (among: ModelEvent[], nth: number) => among[nth % Math.max(1, among.length)]
        await setStrict([])
        for (const each of commands) {
          switch (each.kind) {
            case 'accept': {
              accepted += 1
              const path = String(accepted)
              await queue.accept(newEvent({ path, flowId: each.flow, ordered: each.ordered, acceptedAtMs: nowMs }))
              const flow = flows.get(each.flow) as ModelFlow
              events.push({ path, flow, delivery: undefined, isFirst: true, dueAtMs: nowMs })
              break
            }
            case 'claim': {
              const claimable = events.filter(isClaimable)
              const [delivery] = (await queue.claim(claimOf({ most: 1, nowMs }))).deliveries
              const event = events.find(({ path }) => path === delivery?.path)
              assert.equal(event === undefined, claimable.length === 0, 'an event is claimed if one is claimable')
              if (event === undefined) break
              assert.ok(claimable.includes(event), `${event.path} is claimable`)
              if (event.isFirst)
                assert.equal(
                  claimable.find(({ isFirst }) => isFirst),
                  event,
                  'in the order accepted',
                )
              event.delivery = delivery?.delivery
              break
            }
            case 'acknowledge': {
              const event = pickFrom(events.filter(isLeased), each.pick)
              await queue.acknowledge(holder, [event?.delivery ?? ''], nowMs)
              events = events.filter((other) => other !== event)
              break
            }
            case 'fail': {
              const event = pickFrom(events.filter(isLeased), each.pick)
              if (event === undefined) break
              const { retryMs } = each
              const failure = {
                delivery: event.delivery ?? '',
                failedAtMs: nowMs,
                retryMs,
                dead: retryMs === undefined,
              }
              await queue.fail(holder, [failure])
              const [stored] = (await queue.log.page(greeter, {}, { most: 1_000 })).events.filter(
                ({ path }) => path === event.path,
              )
              if (stored?.state === 'dead') events = events.filter((other) => other !== event)
              else Object.assign(event, { delivery: undefined, isFirst: false, dueAtMs: nowMs + (retryMs ?? 0) })
              break
            }
            case 'release': {
              const event = pickFrom(events.filter(isLeased), each.pick)
              if (event === undefined) break
              await queue.release(holder, [event.delivery ?? ''])
              Object.assign(event, { delivery: undefined, dueAtMs: nowMs })
              break
            }
            case 'discard': {
              const event = pickFrom(events, each.pick)
              const listed = (await queue.log.page(greeter, { state: 'ready' }, { most: 1_000 })).events
              const id = listed.find(({ path }) => path === event?.path)?.id
              assert.equal(await queue.discardWaiting(greeter, id ?? ''), event !== undefined && !isLeased(event))
              if (id !== undefined) events = events.filter((other) => other !== event)
              break
            }
            case 'switch': {
              const flow = flows.get(each.flow) as ModelFlow
              flow.strict = !flow.strict
              await applySettings()
              break
            }
            case 'create again': {
              const removed = flows.get(each.flow) as ModelFlow
              flows.set(each.flow, { id: each.flow, strict: removed.strict })
              removed.strict = false
              before.set(each.flow, await queue.lastAccepted(greeter))
              await applySettings()
              break
            }
            case 'later':
              nowMs += each.ms
              break
            case 'restart':
              queue = await again(nowMs)
          }
          const page = (await queue.log.page(greeter, {}, { most: 1_000 })).events
          const idOf = new Map(page.map(({ path, id }) => [path, id]))
          const behind = await queue.log.waitedFor(greeter, page)
          for (const event of events.filter((other) => !isLeased(other))) {
            const head = headOf(event)
            const found = behind.get(idOf.get(event.path) ?? '')
            const expected =
              head === undefined || head === event
                ? [undefined, undefined]
                : [idOf.get(head.path), isLeased(head) ? 'leased' : 'ready']
            assert.deepEqual([found?.id, found?.state], expected)
          }
        }
        await queue.discard(greeter, await queue.lastAccepted(greeter), 'remove')
      }),
      { seed: 20_260_105, numRuns: 15 * budget, endOnFailure: true },
    )
  })
}
