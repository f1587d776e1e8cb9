import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Bots } from '../../domain/bots/bots.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { Clock } from '../../domain/clock.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import { PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import { beginCopies, type EventCopies } from '../../domain/webhooks/event-copies.ts'
import type { RefusalLog, RefusedWebhooks } from '../../domain/webhooks/refusal-log.ts'
import { Type } from '../../http/json-schema.ts'
import { StreamShares } from '../../http/stream-shares.ts'
import { ok } from '../engine/api.ts'
import { Problem } from '../engine/problem.ts'
import { iso, timestamp } from '../engine/schemas.ts'
import { delivery, deliveryRecord } from '../resources/delivery-records.ts'
import { type RuntimeCaller, withRuntimeKey } from './api.ts'

export interface CopyStreamParts {
  bots: Pick<Bots, 'hostable' | 'runtimes'>
  queue: Pick<DeliveryQueue, 'log'>
  refusalLog: Pick<RefusalLog, 'latest'>
  clock: Clock
}

/**
 * Streams of copies of new webhooks, for `gatehouse listen`. Each read checks again the runtime's key and its right to
 * host the bot. A client that stops reading stops the reads of its stream.
 */
export class CopyStreams {
  readonly #parts: CopyStreamParts
  readonly #shares = new StreamShares({
    total: limits.copyStreamsMax,
    address: limits.copyStreamsPerAddress,
    owner: limits.copyStreamsPerOwner,
  })
  readonly #bytes = new PartyBudgets(limits.copyBytesPerOwner, limits.copyStreamsMax)
  readonly #open = new Set<Readable>()
  readonly #stopPolling: () => void
  #nextRead = Promise.withResolvers<void>()
  #lastCopy: Promise<void> = Promise.resolve()
  #closed = false

  constructor(parts: CopyStreamParts) {
    this.#parts = parts
    this.#stopPolling = parts.clock.every(limits.copyStreamPollMs, () => this.#readAll())
  }

  /**
   * Returns a stream of lines, until the runtime may no longer host the bot, its place is needed for another owner, or
   * the service stops.
   *
   * @throws BotRefusal `bot-unknown`; Problem 429 if the owner or address has too many streams, 503 if the node has.
   */
  async open(caller: RuntimeCaller, botId: BotId): Promise<Readable> {
    const parties = { address: caller.address, owner: caller.runtime.ownerId }
    // The first check spares the reads if the stream doesn't fit. Others may have taken the place during them.
    this.#demandPlace(parties)
    if ((await this.#isHostingOn(caller, botId)) === undefined) throw new BotRefusal(['bot-unknown'])
    this.#demandPlace(parties)
    const stream: Readable = Readable.from(this.#lines(caller, botId, () => this.#closed || stream.destroyed))
    const leave = this.#shares.add(parties, () => stream.destroy())
    this.#open.add(stream)
    stream.once('close', () => {
      this.#open.delete(stream)
      leave()
    })
    return stream
  }

  #demandPlace(parties: Parameters<StreamShares['refusal']>[0]): void {
    const full = this.#shares.refusal(parties)
    if (full === undefined) return
    const who = { owner: 'The owner of this runtime', address: 'This address', total: 'The service' }[full]
    const detail = `${who} has too many streams with copies open. Close one, or try again in 60 s.`
    throw new Problem(full === 'total' ? 503 : 429, detail, { headers: { 'retry-after': '60' } })
  }

  /** Cuts off all streams, because a client that doesn't read would never receive a regular end. */
  close(): void {
    this.#stopPolling()
    this.#closed = true
    for (const stream of this.#open) stream.destroy()
    this.#readAll()
  }

  #readAll(): void {
    const { resolve } = this.#nextRead
    this.#nextRead = Promise.withResolvers()
    resolve()
  }

  async *#lines(caller: RuntimeCaller, botId: BotId, isOver: () => boolean): AsyncGenerator<string> {
    const { clock, queue, refusalLog } = this.#parts
    let copies: EventCopies | undefined
    let said: { hosting: boolean; atMs: number } | undefined
    let refusalsReadAtMs = clock.nowMs()
    lines: while (!isOver()) {
      const next = this.#nextRead.promise
      const nowMs = clock.nowMs()
      const hosting = await this.#isHostingOn(caller, botId)
      if (hosting === undefined) return
      copies = hosting ? (copies ?? (await beginCopies(queue.log, refusalLog, botId, nowMs))) : undefined
      if (said?.hosting !== hosting || nowMs - said.atMs >= limits.liveStreamKeepAliveMs) {
        said = { hosting, atMs: nowMs }
        yield line({ hosting })
      }
      for (const id of (await copies?.newIds()) ?? []) {
        // Checks first whether the runtime may still read anything about the bot.
        if (!(await this.#awaitBudget(caller, botId, isOver))) continue lines
        const copy = await this.#inTurn(async () => {
          const event = await queue.log.find(botId, id)
          return event && line({ delivery: deliveryRecord(event) })
        })
        if (copy === undefined) continue
        this.#bytes.spend(partyOf(caller), copy.length, clock.nowMs())
        yield copy
      }
      if (nowMs - refusalsReadAtMs >= limits.refusalsReadEveryMs) {
        refusalsReadAtMs = nowMs
        for (const refused of (await copies?.refusals()) ?? []) yield line({ refused: refusedRecord(refused) })
      }
      await next
    }
  }

  /** Waits for the owner's budget. Returns false if the stream is over, or the runtime doesn't host the bot any more. */
  async #awaitBudget(caller: RuntimeCaller, botId: BotId, isOver: () => boolean): Promise<boolean> {
    while (!isOver() && this.#bytes.waitMs(partyOf(caller), this.#parts.clock.nowMs()) > 0) {
      await this.#nextRead.promise
      if ((await this.#isHostingOn(caller, botId)) !== true) return false
    }
    return !isOver()
  }

  /** Makes one copy of all streams per tick, because a large one takes milliseconds. */
  #inTurn<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#lastCopy.then(make)
    this.#lastCopy = made.then(
      () => setImmediate(),
      () => {},
    )
    return made
  }

  /** Returns `undefined` if the runtime may not host the bot, whether hosting is on or off. */
  async #isHostingOn({ clearTextKey }: RuntimeCaller, botId: BotId): Promise<boolean | undefined> {
    const { runtimes, hostable } = this.#parts.bots
    const found = await runtimes.authenticate(clearTextKey)
    if (found === undefined) return undefined
    const { bots, refused } = await hostable(found.runtime, [botId])
    if (bots.length > 0) return true
    return refused[0]?.reason === 'hosting_off' ? false : undefined
  }
}

/** The owner, or the runtime itself if the operator created it. */
function partyOf({ runtime }: RuntimeCaller): string {
  return runtime.ownerId ?? `runtime ${runtime.id}`
}

function line(members: object): string {
  return `${JSON.stringify(members)}\n`
}

function refusedRecord({ flowId, path, cause, address, lastAtMs }: RefusedWebhooks) {
  return { flowId, path, cause, clientIp: address, at: iso(lastAtMs) }
}

const refusedWebhook = Type.Object(
  {
    flowId: Type.Optional(Type.String('absent if no flow listens on the path')),
    path: Type.Optional(Type.String('the requested path, if no flow listens on it')),
    cause: Type.String('such as key-wrong'),
    clientIp: Type.String('IP address of the sender'),
    at: timestamp('when it was refused'),
  },
  { title: 'RefusedWebhook' },
)

const copyLine = Type.Union(
  [
    Type.Object({
      hosting: Type.Boolean(
        'whether hosting of the bot is on. Sent first, after each change, and every 15 seconds. While it is false, nothing is copied.',
      ),
    }),
    Type.Object({ delivery }),
    Type.Object({ refused: refusedWebhook }),
  ],
  { title: 'CopyLine', description: 'Newer versions may add lines with other members. Ignore them.' },
)

export const copyRoute = (streams: CopyStreams) =>
  withRuntimeKey.get(
    '/bots/{botId}/copies',
    'Follow copies of a bot’s new webhooks',
    {
      operationId: 'followCopies',
      description:
        'For development. Needs a runtime key that may host the bot. Copies begin with the first line that says that hosting is on. ' +
        'The bot’s runtimes still receive every event.',
      200: ['One object per line, until either side ends the stream.', copyLine, 'live'],
    },
    async ({ caller, botId }) => ok(await streams.open(caller, botId)),
  )
