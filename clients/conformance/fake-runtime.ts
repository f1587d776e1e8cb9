import assert from 'node:assert/strict'
import { WebSocket } from 'ws'

/** A parsed frame from the service. Only its `type` has a static type. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of parsed frames
export type ServiceFrame = { type: string } & Record<string, any>

const protocol = 'gatehouse.runtime.v1'
/** Maximum time to wait for a frame or for the end of the connection. Generous, because test machines are busy. */
const timeoutMs = 60_000

/** A scripted bot runtime. It sends nothing by itself and can deliberately break the protocol. */
export class FakeRuntime {
  readonly socket: WebSocket
  protected readonly frames: ServiceFrame[] = []
  #arrived: () => void = () => {}
  #ended = false
  /** Resolves with the close code and reason when the connection is closed. */
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(url: string, key: string | undefined, protocols = [protocol]) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    this.socket = new WebSocket(url, protocols, { headers, perMessageDeflate: false })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ServiceFrame
      this.frames.push(frame)
      this.received(frame)
      this.#arrived()
    })
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        this.#ended = true
        this.#arrived()
        resolve({ code, reason: String(reason) })
      })
    })
  }

  protected received(_frame: ServiceFrame): void {}

  /** Sends a frame. Strings and bytes are sent unchanged. */
  send(frame: object | string | Uint8Array): void {
    const raw = typeof frame === 'string' || frame instanceof Uint8Array
    this.socket.send(raw ? frame : JSON.stringify(frame))
  }

  async ready(ready: object = {}): Promise<ServiceFrame> {
    this.send({ type: 'ready', instance: 'one', agent: 'conformance/1', credit: 16, ...ready })
    return this.next('welcome')
  }

  /** Returns the next frame, which must have this type. */
  async next(type: string): Promise<ServiceFrame> {
    const frame = await this.until(() => this.frames.shift(), `"${type}"`)
    assert.equal(frame.type, type, `expected "${type}", got ${JSON.stringify(frame)}`)
    return frame
  }

  async deliveries(count: number): Promise<ServiceFrame[]> {
    const frames: ServiceFrame[] = []
    while (frames.length < count) frames.push(await this.next('dispatch'))
    return frames
  }

  /** Sends a heartbeat and returns the answer. Fails if the service sends anything else first. */
  async heartbeat(working: readonly string[] = [], bots: readonly object[] = []): Promise<ServiceFrame> {
    this.send({ type: 'heartbeat', bots, working })
    return this.next('heartbeat')
  }

  /** Waits until the service closes the connection with this code. */
  async closedWith(code: number): Promise<void> {
    await this.until(() => this.#ended || undefined, `the end with ${code}`)
    assert.equal((await this.closed).code, code)
  }

  /** Terminates the connection abruptly, as in a crash. */
  async crash(): Promise<void> {
    this.socket.terminate()
    await this.closed
  }

  /** Calls `look` now and after each frame until it returns a value. Fails if the connection has ended. */
  protected async until<Found>(look: () => Found | undefined, what: string): Promise<Found> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      assert.ok(!this.#ended, `the connection ended, expected ${what}`)
      const left = deadline - Date.now()
      assert.ok(left > 0, `waited ${timeoutMs} ms for ${what}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#arrived = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
