import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

export interface Sent {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends a request that `fetch` can't send: with arbitrary Host, Origin and Sec-Fetch-Site headers. */
export function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) }),
    )
    sent.on('error', reject).end(body)
  })
}

export interface SeenAnswer {
  status: number
  /** Header names in lower case, in the order received. A header can occur more than once. */
  headers: readonly (readonly [string, string])[]
  body: string
}

const boundMs = 60_000

/**
 * Sends the bytes on a new connection and returns all responses. Stops when the connection ends, or when, after the
 * first data, nothing more arrives for `quietMs`: some connections stay open by design.
 */
export function exchange(
  url: string,
  bytes: Uint8Array,
  quietMs = 150,
): Promise<{ answers: SeenAnswer[]; ended: boolean; left: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const chunks: Buffer[] = []
    let quiet: NodeJS.Timeout | undefined
    const bound = setTimeout(() => done(false), boundMs)
    let isDone = false
    const done = (ended: boolean) => {
      if (isDone) return
      isDone = true
      clearTimeout(quiet)
      clearTimeout(bound)
      socket.destroy()
      resolve({ ...answersIn(Buffer.concat(chunks).toString('latin1')), ended })
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      clearTimeout(quiet)
      quiet = setTimeout(() => done(false), quietMs)
    })
    socket.on('close', () => done(true))
    // A reset also ends the connection.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error)
      else done(true)
    })
  })
}

function answersIn(text: string): { answers: SeenAnswer[]; left: string } {
  const answers: SeenAnswer[] = []
  let left = text
  for (;;) {
    const answer = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(left)
    if (answer === null) return { answers, left }
    const headers = (answer[2] as string)
      .split('\r\n')
      .slice(0, -1)
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      })
    const { body, length } = bodyIn(left.slice(answer[0].length), Number(answer[1]), headers)
    answers.push({ status: Number(answer[1]), headers, body })
    left = left.slice(answer[0].length + length)
  }
}

function bodyIn(text: string, status: number, headers: SeenAnswer['headers']): { body: string; length: number } {
  const header = (name: string) => headers.find(([one]) => one === name)?.[1]
  // A response to HEAD has a Content-Length but no body, so either the next response follows or nothing does.
  if (status < 200 || status === 204 || status === 304 || text.startsWith('HTTP/1.1 ')) return { body: '', length: 0 }
  const told = header('content-length')
  if (told !== undefined) return { body: text.slice(0, Number(told)), length: Math.min(Number(told), text.length) }
  if (header('transfer-encoding') !== 'chunked') return { body: text, length: text.length }
  let body = ''
  let at = 0
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 20))
    if (size === null) return { body, length: text.length }
    const bytes = Number.parseInt(size[1] as string, 16)
    at += size[0].length
    body += text.slice(at, at + bytes)
    at += bytes + 2
    if (bytes === 0) return { body, length: at }
  }
}
