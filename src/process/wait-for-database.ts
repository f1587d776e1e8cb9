import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { DatabaseUnreachable, type HostFailure, StoreUnavailable } from '../domain/store-unavailable.ts'
import { buildWaitingHost, type Host } from '../hosts.ts'
import { reasonOf } from './start-fault.ts'

const retryMs = 1_000

/** The process was told to stop before the database could be reached. */
export class StoppedWhileWaiting extends Error {}

/**
 * Waits for the database of several nodes, which may be away when a node starts: a process that gave up would reach the
 * start limit of its service manager and stay down. The control surface answers meanwhile: alive, and not ready.
 */
export class WaitingControl {
  readonly #config: Config
  readonly #log: Logger
  #failures: readonly HostFailure[] = []
  #host: Host | undefined
  #said = ''

  constructor(config: Config, log: Logger) {
    this.#config = config
    this.#log = log
  }

  /** The host to listen on, until {@link close}. */
  async host(): Promise<Host> {
    this.#host ??= await buildWaitingHost({ config: this.#config, log: this.#log }, () => this.#failures)
    return this.#host
  }

  /**
   * Calls `open` until it finds the database.
   *
   * @throws what `open` throws, unless that is StoreUnavailable; StoppedWhileWaiting once `stopped` is settled.
   */
  async until<Opened>(open: () => Promise<Opened>, stopped: Promise<unknown> = new Promise(() => {})): Promise<Opened> {
    const stop = stopped.then(() => {
      throw new StoppedWhileWaiting()
    })
    stop.catch(() => {})
    for (;;) {
      try {
        const opened = await Promise.race([open(), stop])
        if (this.#said !== '') this.#log.info('database reached, starting')
        return opened
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        this.#fail(error)
      }
      await Promise.race([pause(), stop])
    }
  }

  async close(): Promise<void> {
    const host = this.#host
    this.#host = undefined
    await host?.close({ silentMs: 0, sendingMs: 0 })
  }

  /** Warns when the reasons differ from those of the last attempt. */
  #fail(error: StoreUnavailable): void {
    this.#failures =
      error instanceof DatabaseUnreachable
        ? error.hosts
        : (this.#config.databaseUrls ?? []).map((url) => ({
            host: new URL(url).host,
            reason: reasonOf(error.cause ?? error),
          }))
    const reasons = this.#failures.map(({ host, reason }) => `${host}: ${reason}`).join('; ')
    if (reasons === this.#said) return
    this.#said = reasons
    this.#log.warn({ database: this.#failures }, 'waiting for the database')
    process.stderr.write(`gatehouse: waiting for the database (${reasons})\n`)
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, retryMs))
}
