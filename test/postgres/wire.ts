import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** The network between a node and its database: it can go silent, or break. */
export class Wire {
  readonly url: string
  readonly #sockets: Set<Socket>
  readonly #state: { carries: boolean; broken: boolean }

  private constructor(url: string, sockets: Set<Socket>, state: { carries: boolean; broken: boolean }) {
    this.url = url
    this.#sockets = sockets
    this.#state = state
  }

  /** Leads to the database at that address, until the test ends. */
  static async to(t: TestContext, database: string): Promise<Wire> {
    const { hostname, port } = new URL(database)
    const sockets = new Set<Socket>()
    const state = { carries: true, broken: false }
    const server = createServer((near) => {
      const far = connect(Number(port), hostname)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from)
        if (state.broken) from.destroy()
        from.on('data', (bytes) => state.carries && to.write(bytes))
        from.on('error', () => {})
        from.on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      }
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const url = new URL(database)
    url.port = String((server.address() as AddressInfo).port)
    return new Wire(url.href, sockets, state)
  }

  /** Nothing comes through from here on, and nobody is told. */
  silence(): void {
    this.#state.carries = false
  }

  /** Connections break, and no new one comes about. */
  cut(): void {
    this.#state.broken = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** As it was at first; what went silent is broken by that. */
  mend(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#state.carries = true
    this.#state.broken = false
  }
}
