import type { Fault } from '../start-fault.ts'

export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export interface Finding extends Partial<Fault> {
  /** Only a `fault` makes `doctor` exit with an error. An `ok` has no remedy. */
  level: 'ok' | 'warning' | 'fault'
  summary: string
  /** Set if it differs from the subject of the check. */
  about?: Subject
}

export const ok = (summary: string): Finding => ({ level: 'ok', summary })
export const warning = (summary: string, remedy: string): Finding => ({ level: 'warning', summary, remedy })
export const fault = (summary: string, remedy: string): Finding => ({ level: 'fault', summary, remedy })
/** Reports what would keep the service from starting, if anything. */
export const faults = (found: Fault | undefined): Finding[] => (found ? [{ level: 'fault', ...found }] : [])
