export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export interface Finding {
  /** Only a `fault` makes `doctor` exit with an error. */
  level: 'ok' | 'warning' | 'fault'
  summary: string
  /** How to fix the problem. Not set for `ok`. */
  remedy?: string
  /** Set if it differs from the subject of the check. */
  about?: Subject
}

export const ok = (summary: string): Finding => ({ level: 'ok', summary })
export const warning = (summary: string, remedy: string): Finding => ({ level: 'warning', summary, remedy })
export const fault = (summary: string, remedy: string): Finding => ({ level: 'fault', summary, remedy })
