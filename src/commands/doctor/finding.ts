/** The result of one check. If it found a problem, it includes a remedy. */
export type Finding =
  | { level: 'ok'; about: Subject; summary: string }
  | { level: 'warning' | 'fault'; about: Subject; summary: string; remedy: string }

export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export function ok(about: Subject, summary: string): Finding {
  return { level: 'ok', about, summary }
}

/** Returns a finding about a minor or possible problem. Does not affect the exit code of `doctor`. */
export function warning(about: Subject, summary: string, remedy: string): Finding {
  return { level: 'warning', about, summary, remedy }
}

/** Returns a finding about a problem that must be fixed. It makes `doctor` exit with an error. */
export function fault(about: Subject, summary: string, remedy: string): Finding {
  return { level: 'fault', about, summary, remedy }
}

export function orOk(findings: readonly Finding[], about: Subject, summary: string): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(about, summary)]
}
