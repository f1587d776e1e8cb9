import { createConnection } from 'node:net'
import { type Percentiles, percentilesOf } from './percentiles.ts'

/**
 * Instructions from the parent process to the load generator, which opens `connections` sockets, each with one request
 * in flight at a time.
 */
export interface LoadOrder {
  host: string
  port: number
  connections: number
  /** Complete requests as text. With `chain`, these are only the first requests of each connection. */
  requests: string[]
  /** Whether to stop after a fixed time or once every request has been sent. */
  until: { afterMs: number } | 'all-sent'
  /**
   * Template for a connection's further requests. `{}` is replaced with the value of `member` in the previous JSON
   * response, and `{length}` with the length of the resulting body.
   */
  chain?: { member: string; template: string }
}

export interface LoadResult extends Percentiles {
  answers: number
  perSecond: number
  /** Number of responses by status, to verify that the requests had the expected outcome. */
  statuses: Record<string, number>
}

process.on('message', async (order: LoadOrder) => {
  process.send?.(await run(order))
})

async function run(order: LoadOrder): Promise<LoadResult> {
  const latenciesMs: number[] = []
  const statuses: Record<string, number> = {}
  const requests = order.requests.map((text) => Buffer.from(text))
  const { chain } = order
  let next = 0
  const startedMs = performance.now()
  const deadlineMs = order.until === 'all-sent' ? Number.POSITIVE_INFINITY : startedMs + order.until.afterMs

  function take(nowMs: number): Buffer | undefined {
    if (nowMs >= deadlineMs || (order.until === 'all-sent' && next >= requests.length)) return undefined
    return requests[next++ % requests.length]
  }

  function follow(nowMs: number, sentMs: number, { status, body }: Answer): Buffer | undefined {
    latenciesMs.push(nowMs - sentMs)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (chain === undefined) return take(nowMs)
    const value = (JSON.parse(body) as Record<string, string>)[chain.member] ?? ''
    return nowMs >= deadlineMs ? undefined : Buffer.from(fill(chain.template, value))
  }

  await Promise.all(Array.from({ length: order.connections }, () => converse(order, take, follow)))

  const seconds = (performance.now() - startedMs) / 1_000
  return {
    answers: latenciesMs.length,
    perSecond: latenciesMs.length / seconds,
    ...percentilesOf(latenciesMs),
    statuses,
  }
}

function fill(template: string, value: string): string {
  const [head = '', body = ''] = template.split('\r\n\r\n')
  const filled = body.replace('{}', value)
  return `${head.replace('{length}', String(Buffer.byteLength(filled)))}\r\n\r\n${filled}`
}

interface Answer {
  status: string
  body: string
}

const receivedMaxBytes = 65_536

/**
 * Sends requests one after another on a new connection, each after the complete response to the previous one. Uses an
 * `onread` callback instead of events and promises. The client must be cheap, since it may share its core with a
 * database.
 */
function converse(
  { host, port }: LoadOrder,
  first: (nowMs: number) => Buffer | undefined,
  follow: (nowMs: number, sentMs: number, answer: Answer) => Buffer | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let sentMs = 0
    const send = (request: Buffer | undefined, nowMs: number) => {
      if (request === undefined) {
        resolve()
        socket.destroy()
        return
      }
      sentMs = nowMs
      socket.write(request)
    }
    const callback = (length: number, bytes: Uint8Array) => {
      received += (bytes as Buffer).toString('latin1', 0, length)
      const answer = answerOf(received)
      if (answer !== undefined) {
        received = ''
        const nowMs = performance.now()
        send(follow(nowMs, sentMs, answer), nowMs)
      }
      return true
    }
    const onread = { buffer: Buffer.allocUnsafe(receivedMaxBytes), callback }
    const socket = createConnection({ host, port, noDelay: true, onread }, () => {
      const nowMs = performance.now()
      send(first(nowMs), nowMs)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection before its response')))
  })
}

/** Returns the response, or `undefined` while it is incomplete according to its Content-Length or its chunks. */
function answerOf(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const body = bodyOf(received.slice(0, headEnd), received.slice(headEnd + 4))
  return body === undefined ? undefined : { status: received.slice(9, 12), body }
}

/** Returns the body, or `undefined` while it is incomplete. A response without Content-Length or chunks has no body. */
function bodyOf(head: string, received: string): string | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return received.length < Number(length) ? undefined : received
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return received
  if (!received.endsWith('0\r\n\r\n')) return undefined
  let body = ''
  for (let at = 0; ; ) {
    const end = received.indexOf('\r\n', at)
    const size = Number.parseInt(received.slice(at, end), 16)
    if (size === 0) return body
    body += received.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
