import { createConnection } from 'node:net'

/** One load, as the parent orders it: `connections` sockets, each with one request in flight at a time. */
export interface LoadOrder {
  host: string
  port: number
  connections: number
  /** Whole requests as text. With `chain` these are the first ones of each connection. */
  requests: string[]
  /** Ends after this long, or when every request was sent once. */
  until: { afterMs: number } | 'all-sent'
  /** The next request of a connection is the last one with this member of the JSON answer put in. */
  chain?: { member: string; template: string }
}

export interface LoadResult {
  answers: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Answers by status, to show that the load did what it says. */
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

  /** What a connection sends after an answer. */
  function follow(nowMs: number, sentMs: number, { status, body }: Answer): Buffer | undefined {
    latenciesMs.push(nowMs - sentMs)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (chain === undefined) return take(nowMs)
    const value = (JSON.parse(body) as Record<string, string>)[chain.member] ?? ''
    return nowMs >= deadlineMs ? undefined : Buffer.from(fill(chain.template, value))
  }

  await Promise.all(Array.from({ length: order.connections }, () => converse(order, take, follow)))

  const seconds = (performance.now() - startedMs) / 1_000
  latenciesMs.sort((one, other) => one - other)
  const quantile = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
  return {
    answers: latenciesMs.length,
    perSecond: latenciesMs.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    statuses,
  }
}

/** Puts the value in for `{}` and sets the length of the body. */
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
 * Sends one request after the other on a connection of its own, each when the answer before is there whole, until there
 * is none to send. It has no listeners to move and no promise for each answer: what the load takes of its core, a
 * database beside it lacks.
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
    socket.once('close', () => reject(new Error('the server closed the connection before it answered')))
  })
}

/** The answer when it is there whole, by its length or by the last of its chunks. */
function answerOf(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const body = bodyOf(received.slice(0, headEnd), received.slice(headEnd + 4))
  return body === undefined ? undefined : { status: received.slice(9, 12), body }
}

/** The body, or undefined if it is not there whole. An answer with neither length nor chunks has none. */
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
