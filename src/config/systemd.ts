/** What a unit with `Type=notify` asks of the service. */
export interface SystemdNotifications {
  /** Interval between two reports that the event loop is running, or `undefined` if the unit has no watchdog. */
  watchdogMs: number | undefined
}

/** Returns what systemd asks for, or `undefined` if no such unit started the process. */
export function readSystemdNotifications(env = process.env): SystemdNotifications | undefined {
  if (env.NOTIFY_SOCKET === undefined) return undefined
  const timeoutMs = Number(env.WATCHDOG_USEC) / 1_000
  return { watchdogMs: timeoutMs > 0 ? timeoutMs / 3 : undefined }
}
