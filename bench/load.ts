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

/** Sends one request and resolves when its answer, which has a Content-Length, is there whole. */
function exchange(socket: Socket, request: Buffer): Promise<{ status: string; body: string }> {
  return new Promise((resolve, reject) => {
    let received = ''
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve({ status: received.slice(9, 12), body: received.slice(headEnd + 4) })
    }
    const onClose = () => reject(new Error('the server closed the connection before it answered'))
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(request)
  })
}
