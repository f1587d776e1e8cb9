import { spawn } from 'node:child_process'
import type { Logger } from 'pino'
import { readSystemdNotifications } from '../../config/config.ts'

/**
 * Returns functions that tell systemd the state of the service if its unit has `Type=notify`, and otherwise do nothing.
 * Node can't write to systemd's datagram socket, so the command `systemd-notify` does. Failures are logged and have no
 * other effect.
 */
export function systemdNotifier(log: Logger): { ready(): void; stopping(): void } {
  const notifications = readSystemdNotifications()
  function notify(state: string): void {
    if (notifications === undefined) return
    const failed = (reason: string) => log.warn({ state, reason }, 'systemd notification failed')
    spawn('systemd-notify', [state], { stdio: 'ignore' })
      .on('error', (error) => failed(error.message))
      .on('exit', (code, signal) => {
        if (code !== 0) failed(`exit code ${code ?? signal}`)
      })
      .unref()
  }
  return {
    /**
     * Reports that the service is ready. If the unit sets `WatchdogSec`, also keeps reporting that the event loop is
     * running. When these reports stop, systemd restarts the service.
     */
    ready() {
      notify('READY=1')
      const watchdogMs = notifications?.watchdogMs
      if (watchdogMs !== undefined) setInterval(notify, watchdogMs, 'WATCHDOG=1').unref()
    },
    stopping: () => notify('STOPPING=1'),
  }
}
