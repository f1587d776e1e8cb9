import { createConnection, type Socket } from 'node:net'
import { type Percentiles, percentilesOf } from './percentiles.ts'

/** Requests sent at a fixed rate, regardless of responses. Each uses a connection that is idle at that moment. */
export interface ArrivalOrder {
  host: string
  port: number
  /** Complete requests as text, sent in rotation. */
  requests: string[]
  perSecond: number
  forMs: number
  /** Number of connections, all opened before the first request. If all are busy, a request is counted but not sent. */
  connections: number
}

export interface ArrivalResult {
  arrived: number
  statuses: Record<string, number>
  /** Number of 503 responses without `Retry-After`. */
  withoutRetryAfter: number
  /** Number of connections that ended without a response. */
  cut: number
  withoutConnection: number
  /** Latencies of responses other than 503, and of 503 responses. */
  served: Percentiles
  shed: Percentiles
  /**
   * Longest delay of the sender's own timer. Latencies up to this value may be caused by the sender instead of the
   * service.
   */
  ownDelayMaxMs: number
}

process.on('message', async (order: ArrivalOrder) => {
  process.send?.(await arrive(order))
})

const everyMs = 5

async function arrive(order: ArrivalOrder): Promise<ArrivalResult> {
  const sender = new Sender(order)
  await sender.connect()
  const beganMs = performance.now()
  let ownDelayMaxMs = 0
  for (let step = 1; ; step += 1) {
    const dueMs = beganMs + step * everyMs
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
    ownDelayMaxMs = Math.max(ownDelayMaxMs, performance.now() - dueMs)
    const passedMs = Math.min(performance.now() - beganMs, order.forMs)
    sender.sendUpTo(Math.floor((passedMs / 1_000) * order.perSecond))
    if (passedMs >= order.forMs) break
  }
  process.send?.('last arrived')
  await sender.idle()
  return { ...sender.result(), ownDelayMaxMs }
}

/**
 * Number of connections opened at the same time. Must not exceed the listen backlog, which holds connections that the
 * server has not accepted yet.
 */
const connectAtOnce = 100

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true }, () => {
      socket.off('error', reject)
      // Nothing to do: a `close` event always follows an error.
      socket.on('error', () => {})
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

const patienceMs = 15_000

class Sender {
  readonly #order: ArrivalOrder
  readonly #requests: Buffer[]
  readonly #idle: Socket[] = []
  #waiting = 0
  #arrived = 0
  #cut = 0
  #withoutConnection = 0
  #withoutRetryAfter = 0
  readonly #statuses: Record<string, number> = {}
  readonly #served: number[] = []
  readonly #shed: number[] = []

  constructor(order: ArrivalOrder) {
    this.#order = order
    this.#requests = order.requests.map((text) => Buffer.from(text))
  }

  async connect(): Promise<void> {
    const { host, port, connections } = this.#order
    for (let left = connections; left > 0; left -= connectAtOnce) {
      const connecting = Array.from({ length: Math.min(left, connectAtOnce) }, () => connected(host, port))
      this.#idle.push(...(await Promise.all(connecting)))
    }
  }

  sendUpTo(count: number): void {
    for (; this.#arrived < count; this.#arrived += 1) {
      const request = this.#requests[this.#arrived % this.#requests.length] as Buffer
      const socket = this.#idle.pop()
      if (socket === undefined) this.#withoutConnection += 1
      else this.#exchange(socket, request)
    }
  }

  async idle(): Promise<void> {
    const untilMs = performance.now() + patienceMs
    while (this.#waiting > 0 && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const socket of this.#idle) socket.destroy()
  }

  result(): Omit<ArrivalResult, 'ownDelayMaxMs'> {
    return {
      arrived: this.#arrived,
      statuses: this.#statuses,
      withoutRetryAfter: this.#withoutRetryAfter,
      cut: this.#cut + this.#waiting,
      withoutConnection: this.#withoutConnection,
      served: percentilesOf(this.#served),
      shed: percentilesOf(this.#shed),
    }
  }

  #exchange(socket: Socket, request: Buffer): void {
    const sentMs = performance.now()
    let received = ''
    this.#waiting += 1
    const settle = () => {
      this.#waiting -= 1
      socket.off('data', onData)
      socket.off('close', onClose)
    }
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      settle()
      this.#note(received, performance.now() - sentMs)
      this.#idle.push(socket)
    }
    const onClose = () => {
      settle()
      this.#cut += 1
    }
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(request)
  }

  #note(answer: string, waitedMs: number): void {
    const status = answer.slice(9, 12)
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    if (status === '503') {
      this.#shed.push(waitedMs)
      if (!/\r\nretry-after: \d/i.test(answer)) this.#withoutRetryAfter += 1
    } else {
      this.#served.push(waitedMs)
    }
  }
}
