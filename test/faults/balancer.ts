import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { listening } from '../support/local-server.ts'

type Environment = Record<string, string>

const askEveryMs = 100

/** A load balancer. It polls each node's `/readyz` and distributes new connections over the ready nodes in rotation. */
export class Balancer {
  readonly #nodes: readonly Environment[]
  readonly #ready = new Set<Environment>()
  #turn = 0

  constructor(t: TestContext, nodes: readonly Environment[]) {
    this.#nodes = nodes
    const stopped = new AbortController()
    t.after(() => stopped.abort())
    for (const node of nodes) void this.#watch(node, stopped.signal)
  }

  isReady(node: Environment): boolean {
    return this.#ready.has(node)
  }

  /**
   * Opens a listener that forwards each connection to one of the ready nodes, and returns the listener's URL.
   * `variable` names the setting that contains a node's own URL. Closes the listener when the test ends.
   */
  async front(t: TestContext, variable: 'API_URL' | 'BASE_URL'): Promise<string> {
    const server = createServer((near) => {
      // If no node is ready, closes the connection, so that the request fails.
      const node = this.#next()
      if (node === undefined) return near.destroy()
      const { port, hostname } = new URL(node[variable] as string)
      pipeline(near, connect({ port: Number(port), host: hostname }), near, () => {})
      t.after(() => near.destroy())
    })
    return listening(t, server)
  }

  #next(): Environment | undefined {
    const ready = this.#nodes.filter((node) => this.#ready.has(node))
    this.#turn += 1
    return ready[this.#turn % ready.length]
  }

  async #watch(node: Environment, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const status = await fetch(`${node.CONTROL_URL}/readyz`, { signal: stopped }).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        },
        () => undefined,
      )
      if (status === 200) this.#ready.add(node)
      else this.#ready.delete(node)
      await wait(askEveryMs)
    }
  }
}
