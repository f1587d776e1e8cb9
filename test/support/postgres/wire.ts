import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listening } from '../local-server.ts'

/** The network between a node and its database. Connections can be silenced, held or broken. */
export class Wire {
  readonly url: string
  readonly #sockets: Set<Socket>
  readonly #silent: WeakSet<Socket>
  readonly #close: () => void
  #passing: (bytes: Buffer) => Promise<void> = async () => {}

  private constructor(url: string, parts: { sockets: Set<Socket>; silent: WeakSet<Socket>; close: () => void }) {
    this.url = url
    this.#sockets = parts.sockets
    this.#silent = parts.silent
    this.#close = parts.close
  }

  /** Opens a wire to the database at this URL. Closes it when the test ends. */
  static async to(t: TestContext, database: string): Promise<Wire> {
    const { hostname, port } = new URL(database)
    const sockets = new Set<Socket>()
    const silent = new WeakSet<Socket>()
    const server = createServer((near) => {
      const far = connect(Number(port), hostname)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from)
        from.on('data', (bytes: Buffer) => silent.has(from) || wire.#passing(bytes).then(() => to.write(bytes)))
        from.on('error', () => {})
        from.on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      }
    })
    const url = new URL(database)
    url.port = new URL(await listening(t, server)).port
    const wire = new Wire(url.href, { sockets, silent, close: () => server.close() })
    t.after(() => wire.cut())
    return wire
  }

  /** Silences the existing connections without closing them. New connections still work. */
  silence(): void {
    for (const socket of this.#sockets) this.#silent.add(socket)
  }

  /** Holds back the next query with this text. Returns when the query has arrived, and a function that lets it pass. */
  holdNext(text: string): { arrived: Promise<void>; release: () => void } {
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.#passing = async (bytes) => {
      if (!bytes.includes(text)) return
      this.#passing = async () => {}
      arrived.resolve()
      await released.promise
    }
    return { arrived: arrived.promise, release: released.resolve }
  }

  /** Breaks all connections and accepts no new ones. */
  cut(): void {
    this.#close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
