/** The result of one check. If it found a problem, it includes a remedy. */
export type Finding =
  | { level: 'ok'; about: Subject; summary: string }
  | { level: 'warning' | 'fault'; about: Subject; summary: string; remedy: string }

export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export function ok(about: Subject, summary: string): Finding {
  return { level: 'ok', about, summary }
}

/** Returns a finding about something that works, but not as well or as safely as it could. */
export function warning(about: Subject, summary: string, remedy: string): Finding {
  return { level: 'warning', about, summary, remedy }
}

/** Returns a finding about something that doesn't work, or that exposes what should be protected. */
export function fault(about: Subject, summary: string, remedy: string): Finding {
  return { level: 'fault', about, summary, remedy }
}

export function orOk(findings: readonly Finding[], about: Subject, summary: string): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(about, summary)]
}
