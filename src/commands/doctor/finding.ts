/** The result of one check. A problem comes with its remedy. */
export type Finding =
  | { level: 'ok'; about: Subject; says: string }
  | { level: 'warning' | 'fault'; about: Subject; says: string; remedy: string }

/** Listed in the order of the checks. */
export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export function ok(about: Subject, says: string): Finding {
  return { level: 'ok', about, says }
}

/** Works, but not as well or as safely as it could. */
export function warning(about: Subject, says: string, remedy: string): Finding {
  return { level: 'warning', about, says, remedy }
}

/** Does not work, or exposes something. */
export function fault(about: Subject, says: string, remedy: string): Finding {
  return { level: 'fault', about, says, remedy }
}

/** Returns the findings, or an `ok` if there are none. */
export function orAllWell(findings: readonly Finding[], about: Subject, says: string): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(about, says)]
}
