import { spawn } from 'node:child_process'
import type { Logger } from 'pino'
import { readSystemdNotifications, type SystemdNotifications } from '../../config/config.ts'

/**
 * Tells systemd the state of the service if its unit has `Type=notify`, and otherwise does nothing. Node can't write to
 * systemd's datagram socket, so the command `systemd-notify` does. Failures are logged and have no other effect.
 */
export class Systemd {
  readonly #notifications: SystemdNotifications | undefined
  readonly #log: Logger

  constructor(log: Logger) {
    this.#notifications = readSystemdNotifications()
    this.#log = log
  }

  /**
   * Reports that the service is ready. If the unit sets `WatchdogSec`, also keeps reporting that the event loop is
   * running. When these reports stop, systemd restarts the service.
   */
  ready(): void {
    this.#notify('READY=1')
    const watchdogMs = this.#notifications?.watchdogMs
    if (watchdogMs !== undefined) setInterval(() => this.#notify('WATCHDOG=1'), watchdogMs).unref()
  }

  stopping(): void {
    this.#notify('STOPPING=1')
  }

  #notify(state: string): void {
    if (this.#notifications === undefined) return
    const failed = (reason: string) => this.#log.warn({ state, reason }, 'systemd notification failed')
    spawn('systemd-notify', [state], { stdio: 'ignore' })
      .on('error', (error) => failed(error.message))
      .on('exit', (code, signal) => {
        if (code !== 0) failed(`exit code ${code ?? signal}`)
      })
      .unref()
  }
}
