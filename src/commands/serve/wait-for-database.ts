import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Build } from '../../domain/build.ts'
import { DatabaseUnreachable, type HostFailure, StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Host } from '../../listeners/app-host.ts'
import { waitingControlHost } from '../../listeners/control.ts'
import { reasonOf } from '../start-fault.ts'

const retryMs = 1_000

/** Thrown when the process receives a stop signal while it waits for the database. */
export class StoppedWhileWaiting extends Error {}

/**
 * Waits for PostgreSQL if it is unreachable when a node starts. If the process exited instead, its service manager
 * would hit its restart limit and leave the node down. During the wait, the control surface reports that the node is
 * live but not ready.
 */
export class WaitingControl {
  readonly #parts: { config: Config; log: Logger; build: Build }
  #failures: readonly HostFailure[] = []
  #host: Host | undefined
  #lastReasons = ''

  constructor(parts: { config: Config; log: Logger; build: Build }) {
    this.#parts = parts
  }

  /** Returns the temporary control surface, which {@link close} closes. Creates it on the first call. */
  async host(): Promise<Host> {
    this.#host ??= await waitingControlHost(this.#parts, () => this.#failures)
    return this.#host
  }

  /**
   * Calls `open` every second until it stops throwing StoreUnavailable.
   *
   * @throws any other error from `open`; StoppedWhileWaiting once `stopped` resolves.
   */
  async until<Opened>(open: () => Promise<Opened>, stopped: Promise<unknown> = new Promise(() => {})): Promise<Opened> {
    const stop = stopped.then(() => {
      throw new StoppedWhileWaiting()
    })
    stop.catch(() => {})
    for (;;) {
      try {
        const opened = await Promise.race([open(), stop])
        if (this.#lastReasons !== '') this.#parts.log.info('database reached, starting')
        return opened
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        this.#fail(error)
      }
      await Promise.race([sleep(retryMs), stop])
    }
  }

  async close(): Promise<void> {
    const host = this.#host
    this.#host = undefined
    await host?.close({ silentMs: 0, sendingMs: 0 })
  }

  /** Records the failure. If its reasons have changed since the last attempt, logs them and prints them to stderr. */
  #fail(error: StoreUnavailable): void {
    this.#failures =
      error instanceof DatabaseUnreachable
        ? error.hosts
        : (this.#parts.config.databaseUrls ?? []).map((url) => ({
            host: new URL(url).host,
            reason: reasonOf(error.cause ?? error),
          }))
    const reasons = this.#failures.map(({ host, reason }) => `${host}: ${reason}`).join('; ')
    if (reasons === this.#lastReasons) return
    this.#lastReasons = reasons
    this.#parts.log.warn({ database: this.#failures }, 'waiting for the database')
    process.stderr.write(`gatehouse: waiting for the database (${reasons})\n`)
  }
}
