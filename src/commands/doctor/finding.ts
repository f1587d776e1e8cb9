export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export interface Finding {
  /** A `warning` is a minor or possible problem. Only a `fault` makes `doctor` exit with an error. */
  level: 'ok' | 'warning' | 'fault'
  summary: string
  /** How to fix the problem. Not set for `ok`. */
  remedy?: string
  /** Set if it differs from the subject of the check. */
  about?: Subject
}

export function ok(summary: string): Finding {
  return { level: 'ok', summary }
}

export function warning(summary: string, remedy: string): Finding {
  return { level: 'warning', summary, remedy }
}

export function fault(summary: string, remedy: string): Finding {
  return { level: 'fault', summary, remedy }
}
