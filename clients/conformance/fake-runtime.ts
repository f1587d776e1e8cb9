import assert from 'node:assert/strict'
import { WebSocket } from 'ws'

/** A parsed frame from the service. Only its `type` has a static type. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of parsed frames
export type ServiceFrame = { type: string } & Record<string, any>

const protocol = 'gatehouse.runtime.v1'
/** Maximum time to wait for a frame or for the end of the connection. */
const timeoutMs = 10_000

/** A scripted bot runtime. It sends nothing by itself and can deliberately break the protocol. */
export class FakeRuntime {
  readonly #socket: WebSocket
  readonly #frames: ServiceFrame[] = []
  #arrived: () => void = () => {}
  #ended = false
  readonly #closed: Promise<number>

  constructor(url: string, key: string) {
    this.#socket = new WebSocket(url, [protocol], { headers: { authorization: `Bearer ${key}` } })
    this.#socket.on('error', () => {})
    this.#socket.on('message', (data) => {
      this.#frames.push(JSON.parse(String(data)) as ServiceFrame)
      this.#arrived()
    })
    this.#closed = new Promise((resolve) => {
      this.#socket.once('close', (code) => {
        this.#ended = true
        this.#arrived()
        resolve(code)
      })
    })
  }

  /** Sends a frame. Strings and bytes are sent unchanged. */
  send(frame: object | string | Uint8Array): void {
    const raw = typeof frame === 'string' || frame instanceof Uint8Array
    this.#socket.send(raw ? frame : JSON.stringify(frame))
  }

  async ready(ready: object = {}): Promise<ServiceFrame> {
    this.send({ type: 'ready', instance: 'one', agent: 'conformance/1', credit: 16, ...ready })
    return this.next('welcome')
  }

  /** Returns the next frame, which must have this type. */
  async next(type: string): Promise<ServiceFrame> {
    const [frame] = await this.#until(() => this.#frames.length > 0, `"${type}"`).then(() => this.#frames.splice(0, 1))
    assert.equal(frame?.type, type, `expected "${type}", got ${JSON.stringify(frame)}`)
    return frame as ServiceFrame
  }

  /** Sends a heartbeat and returns the answer. Fails if the service sends anything else first. */
  async beat(working: readonly string[] = []): Promise<ServiceFrame> {
    this.send({ type: 'heartbeat', bots: [], working })
    return this.next('heartbeat')
  }

  /** Waits until the service closes the connection with this code. */
  async closedWith(code: number): Promise<void> {
    await this.#until(() => this.#ended, `the end with ${code}`)
    assert.equal(await this.#closed, code)
  }

  /** Terminates the connection abruptly, as in a crash. */
  async crash(): Promise<void> {
    this.#socket.terminate()
    await this.#closed
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!holds()) {
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
