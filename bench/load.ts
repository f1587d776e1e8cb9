import { createConnection, type Socket } from 'node:net'

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
  let next = 0
  const startedMs = performance.now()
  const deadlineMs = order.until === 'all-sent' ? Number.POSITIVE_INFINITY : startedMs + order.until.afterMs

  function take(): Buffer | undefined {
    if (performance.now() >= deadlineMs) return undefined
    if (order.until === 'all-sent' && next >= order.requests.length) return undefined
    const text = order.requests[next % order.requests.length] as string
    next += 1
    return Buffer.from(text)
  }

  await Promise.all(
    Array.from({ length: order.connections }, async () => {
      const socket = await connect(order)
      for (let request = take(); request !== undefined; ) {
        const sentMs = performance.now()
        const { status, body } = await exchange(socket, request)
        latenciesMs.push(performance.now() - sentMs)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (order.chain === undefined) {
          request = take()
        } else {
          const value = (JSON.parse(body) as Record<string, string>)[order.chain.member] ?? ''
          request = performance.now() >= deadlineMs ? undefined : Buffer.from(fill(order.chain.template, value))
        }
      }
      socket.destroy()
    }),
  )

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

function connect({ host, port }: LoadOrder): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends one request and resolves when its answer is there whole, by its length or by the last of its chunks. */
function exchange(socket: Socket, request: Buffer): Promise<{ status: string; body: string }> {
  return new Promise((resolve, reject) => {
    let received = ''
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const body = bodyOf(received.slice(0, headEnd), received.slice(headEnd + 4))
      if (body === undefined) return
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve({ status: received.slice(9, 12), body })
    }
    const onClose = () => reject(new Error('the server closed the connection before it answered'))
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(request)
  })
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
