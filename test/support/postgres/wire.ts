import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listening } from '../local-server.ts'

/**
 * Opens a wire to the database at this URL: the network between a node and the database. Its connections can be
 * silenced, held or broken. Cuts it when the test ends.
 */
export async function openWire(t: TestContext, database: string) {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let passing: (bytes: Buffer) => Promise<void> = async () => {}
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes: Buffer) => silent.has(from) || passing(bytes).then(() => to.write(bytes)))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const url = new URL(database)
  url.port = new URL(await listening(t, server)).port
  /** Breaks all connections and accepts no new ones. */
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(cut)
  return {
    url: url.href,
    cut,

    /** Silences the existing connections without closing them. New connections still work. */
    silence(): void {
      for (const socket of sockets) silent.add(socket)
    },

    /** Holds back the next query with this text. Returns when the query has arrived, and a function that lets it pass. */
    holdNext(text: string): { arrived: Promise<void>; release: () => void } {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      passing = async (bytes) => {
        if (!bytes.includes(text)) return
        passing = async () => {}
        arrived.resolve()
        await released.promise
      }
      return { arrived: arrived.promise, release: released.resolve }
    },
  }
}
