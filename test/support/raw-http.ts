import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

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
  #ended = false
  #closed = false
  #failed: Error | undefined
  #changed: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#text += text
      this.#changed()
    })
    socket.on('end', () => {
      this.#ended = true
      this.#changed()
    })
    socket.on('close', () => {
      this.#closed = true
      this.#changed()
    })
    socket.on('error', (error) => {
      this.#failed = error
      this.#changed()
    })
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
    const [statusLine = '', ...lines] = this.#text.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    const status = Number(statusLine.split(' ')[1])
    const from = headEnd + 4
    const length = bodiless || status < 200 ? 0 : Number(headers['content-length'] ?? 0)
    await this.#until(() => (this.#text.length >= from + length ? 0 : -1))
    const body = this.#text.slice(from, from + length)
    this.#text = this.#text.slice(from + length)
    return { status, headers, body }
  }

  /** Resolves once the other side has ended the connection. Returns the text that followed the last response read. */
  async ended(): Promise<string> {
    await this.#until(() => (this.#ended ? 0 : -1), true)
    return this.#text
  }

  async closed(): Promise<void> {
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /** Waits until `find` returns an index of 0 or more, and returns it. */
  async #until(find: () => number, evenAtEnd = false): Promise<number> {
    for (;;) {
      const found = find()
      if (found >= 0) return found
      if (this.#failed !== undefined) throw this.#failed
      if (this.#ended && !evenAtEnd) throw new Error(`the connection ended after ${JSON.stringify(this.#text)}`)
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }
}
