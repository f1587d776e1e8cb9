/** Settings that systemd passes to a service unit with `Type=notify`. */
export interface SystemdNotifications {
  /**
   * Interval between keep-alive notifications, a third of the watchdog timeout. `undefined` if the unit has no
   * watchdog.
   */
  watchdogMs: number | undefined
}

/**
 * Reads the settings that systemd passes. Returns `undefined` if the process wasn't started by a unit with
 * `Type=notify`.
 */
export function readSystemdNotifications(env = process.env): SystemdNotifications | undefined {
  if (env.NOTIFY_SOCKET === undefined) return undefined
  const timeoutMs = Number(env.WATCHDOG_USEC) / 1_000
  return { watchdogMs: timeoutMs > 0 ? timeoutMs / 3 : undefined }
}
