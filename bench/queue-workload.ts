import type { BotId, FlowId } from '../src/domain/ids-and-secrets.ts'
import { Checkpointer, queueFile } from '../src/storage/sqlite/database-files.ts'
import { embeddedQueue } from '../src/storage/sqlite/queue/embedded-queue.ts'
import { SqliteFile } from '../src/storage/sqlite/sqlite-file.ts'

export const limits = { maxEventsPerBot: 1e6, maxBytesPerBot: 1e12, maxEvents: 1e7, maxBytes: 1e13 }
const botIds = Array.from({ length: 16 }, (_, n) => `bot-${n}` as BotId)
export const headers = { contentType: 'text/plain', userAgent: 'bench', forwardedFor: undefined, requestId: undefined }

export function openQueueWorkload(path: string, startMs: number) {
  const file = new SqliteFile({ ...queueFile, path, checkpointer: new Checkpointer() })
  const queue = embeddedQueue({ file, limits, nowMs: startMs, chance: Math.random, strictFlows: () => [] })
  const bodies = new NumberedBodies()

  async function acceptSome(count: number, nowMs: number): Promise<void> {
    const acceptances = Array.from({ length: count }, (_, n) => {
      const body = bodies.next()
      // Record the body before calling `accept`: a claim may hand the webhook out before `accept` resolves.
      bodies.accepted(body)
      return queue.accept({
        botId: botIds[n % botIds.length] as BotId,
        flowId: 'flow' as FlowId,
        path: 'hook',
        headers,
        clientIp: '192.0.2.1',
        body,
        acceptedAtMs: nowMs,
        ordered: false,
      })
    })
    for (const { kind } of await Promise.all(acceptances))
      if (kind !== 'accepted') throw new Error(`webhook not accepted: ${kind}`)
  }

  async function finishSome(count: number, nowMs: number): Promise<void> {
    const { deliveries } = await queue.claim({ holder: 'bench', botIds, most: count, mostBytes: 1e9, nowMs })
    for (const { body } of deliveries) bodies.handedOut(body)
    await queue.acknowledge(
      'bench',
      deliveries.map(({ delivery }) => delivery),
      nowMs,
    )
  }

  return {
    queue,
    /**
     * Accepts `count` events of 256 bytes. At the same time, delivers and acknowledges up to the same number of earlier
     * events.
     */
    async acceptAndFinish(count: number, nowMs: number): Promise<void> {
      await Promise.all([acceptSome(count, nowMs), finishSome(count, nowMs)])
    },
    /**
     * Delivers and acknowledges all remaining events.
     *
     * @throws Error if an accepted webhook is never handed out.
     */
    async finishAll(nowMs: number): Promise<void> {
      while (bodies.waiting > 0) {
        const before = bodies.waiting
        await finishSome(1_000, nowMs)
        if (bodies.waiting === before) throw new Error(`${before} webhooks were accepted and never handed out`)
      }
    },
    close: () => file.close(),
  }
}

const bodyBytes = 256

/**
 * Creates numbered bodies of 256 bytes and tracks which were accepted and handed out. Without this check, a benchmark
 * could report a fast queue that loses webhooks.
 */
export class NumberedBodies {
  #next = 0
  readonly #waiting = new Set<number>()

  get waiting(): number {
    return this.#waiting.size
  }

  next(): Uint8Array {
    const body = Buffer.alloc(bodyBytes, 'x')
    body.writeUInt32LE(this.#next)
    this.#next += 1
    return body
  }

  accepted(body: Uint8Array): void {
    this.#waiting.add(numberOf(body))
  }

  /**
   * Records that a body was handed out.
   *
   * @throws Error if the body was handed out before, or was never accepted.
   */
  handedOut(body: Uint8Array): void {
    const number = numberOf(body)
    if (!this.#waiting.delete(number)) throw new Error(`webhook ${number} was handed out twice, or never accepted`)
  }
}

function numberOf(body: Uint8Array): number {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).readUInt32LE()
}
