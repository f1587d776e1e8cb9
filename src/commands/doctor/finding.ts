/** One thing that was examined. What is not as it should be comes with what to do about it. */
export type Finding =
  | { level: 'ok'; about: Subject; says: string }
  | { level: 'warning' | 'fault'; about: Subject; says: string; remedy: string }

/** In the order in which they are examined and told. */
export type Subject = 'settings' | 'keys' | 'data' | 'disk' | 'database' | 'clock' | 'ports' | 'proxy'

export function ok(about: Subject, says: string): Finding {
  return { level: 'ok', about, says }
}

/** It works, but not as well or as safely as it could. */
export function warning(about: Subject, says: string, remedy: string): Finding {
  return { level: 'warning', about, says, remedy }
}

/** It does not work, or hands something out. */
export function fault(about: Subject, says: string, remedy: string): Finding {
  return { level: 'fault', about, says, remedy }
}

/** The findings, or, when there are none, that all is well. */
export function orAllWell(findings: readonly Finding[], about: Subject, says: string): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(about, says)]
}
