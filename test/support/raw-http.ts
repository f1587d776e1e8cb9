import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

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

export interface RawAnswer {
  status: number
  /** Header names are in lower case. */
  headers: Record<string, string>
  body: string
}

/** A connection on which a test controls every byte that is sent, and reads the responses. */
export class RawConnection {
  readonly #socket: Socket
  #text = ''
  #changed: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#text += text
    })
    for (const name of ['data', 'end', 'close', 'error']) socket.on(name, () => this.#changed())
  }

  /** Connects to the host and port of the URL, over IPv4. Closes the connection when the test ends. */
  static async to(t: TestContext, url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), family: 4 })
    // Sends each write immediately.
    socket.setNoDelay()
    t.after(() => socket.destroy())
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new RawConnection(socket)
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Writes the bytes. Resolves once they have been passed to the operating system. */
  async flushed(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()))
  }

  pause(): void {
    this.#socket.pause()
  }

  /** Closes the sending side. Responses can still be read. */
  finish(): void {
    this.#socket.end()
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /**
   * Returns the next response. The body's length is the Content-Length, or 0 if `bodiless`, as for a response to
   * `HEAD`.
   */
  async answer({ bodiless = false } = {}): Promise<RawAnswer> {
    const headEnd = await this.#until(() => this.#text.indexOf('\r\n\r\n'))
    const { status, headers } = headOf(this.#text.slice(0, headEnd))
    const from = headEnd + 4
    const length = bodiless || status < 200 ? 0 : Number(headers['content-length'] ?? 0)
    await this.#until(() => (this.#text.length >= from + length ? 0 : -1))
    const body = this.#text.slice(from, from + length)
    this.#text = this.#text.slice(from + length)
    return { status, headers, body }
  }

  /** Resolves once the other side has ended the connection. Returns the text that followed the last response read. */
  async ended(): Promise<string> {
    await this.#until(() => (this.#socket.readableEnded ? 0 : -1), true)
    return this.#text
  }

  async closed(): Promise<void> {
    while (!this.#socket.closed) await this.#change()
  }

  /**
   * Writes the bytes. Returns all responses and the text after them once the connection has ended, or once nothing more
   * arrives for `quietMs` after the first bytes: some connections stay open by design.
   */
  async exchange(bytes: string | Uint8Array, quietMs = 150) {
    this.write(bytes)
    let isQuiet = false
    while (!this.#socket.closed && !isQuiet) {
      const change = this.#change()
      const silence = setTimeout(
        () => {
          isQuiet = true
          this.#changed()
        },
        this.#text === '' ? silentAtMostMs : quietMs,
      )
      await change
      clearTimeout(silence)
    }
    this.#socket.destroy()
    return { ...answersIn(this.#text), ended: !isQuiet }
  }

  /** Waits until `find` returns an index of 0 or more, and returns it. */
  async #until(find: () => number, evenAtEnd = false): Promise<number> {
    for (;;) {
      const found = find()
      if (found >= 0) return found
      const { errored, readableEnded } = this.#socket
      if (errored !== null) throw errored
      if (readableEnded && !evenAtEnd) throw new Error(`the connection ended after ${JSON.stringify(this.#text)}`)
      await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve
    })
  }
}

const silentAtMostMs = 60_000

function headOf(text: string): Omit<RawAnswer, 'body'> {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 2),
  ])
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers) }
}

function answersIn(text: string): { answers: RawAnswer[]; left: string } {
  const answers: RawAnswer[] = []
  let left = text
  for (;;) {
    const headEnd = left.indexOf('\r\n\r\n')
    if (!left.startsWith('HTTP/1.1 ') || headEnd < 0) return { answers, left }
    const head = headOf(left.slice(0, headEnd))
    left = left.slice(headEnd + 4)
    const { body, length } = bodyIn(left, head)
    answers.push({ ...head, body })
    left = left.slice(length)
  }
}

function bodyIn(text: string, { status, headers }: Omit<RawAnswer, 'body'>): { body: string; length: number } {
  // A response to HEAD has a Content-Length but no body, so either the next response follows or nothing does.
  if (status < 200 || status === 204 || status === 304 || text.startsWith('HTTP/1.1 ')) return { body: '', length: 0 }
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? text.length)
    return { body: text.slice(0, length), length }
  }
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
