import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { count, network } from '../domain/limits/budget.ts'
import * as limits from '../domain/limits/limits.ts'
import { canonicalAddress, type TrustProxy } from './request-origin.ts'

/**
 * Divides the connections that the process can have open among client addresses (IPv6 by /64). A trusted proxy's
 * connections aren't counted, because it passes on the requests of many clients.
 */
export class Connections {
  readonly #isProxy: TrustProxy
  readonly #max = Math.min(limits.connectionsMax, openFilesMax() - limits.filesNotForConnections)
  readonly #ofAddresses = new Map<string, number>()
  #open = 0

  constructor(isProxy: TrustProxy) {
    this.#isProxy = isProxy
  }

  /**
   * Counts the connection until it is closed. Closes it at once if its address has used up its share.
   *
   * @returns the number of connections that its address has open, 0 for a trusted proxy.
   */
  take(socket: Socket): number {
    const peer = canonicalAddress(socket.remoteAddress)
    if (this.#isProxy(peer, 0)) return 0
    const address = network(peer)
    const ofAddress = (this.#ofAddresses.get(address) ?? 0) + 1
    if (ofAddress > limits.addressShareOfFreeConnections * (this.#max - this.#open)) {
      socket.destroy()
      return ofAddress
    }
    this.#open += 1
    count(this.#ofAddresses, address, 1)
    socket.once('close', () => {
      this.#open -= 1
      count(this.#ofAddresses, address, -1)
    })
    return ofAddress
  }
}

/** The system's limit for this process. Only Linux says it in a file. */
function openFilesMax(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}
