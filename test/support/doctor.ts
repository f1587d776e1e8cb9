import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startGatehouse } from './gatehouse-process.ts'

interface Examination {
  exitCode: number | NodeJS.Signals
  text: string
  /** Returns the findings on a subject, each as `<level>: <finding>`. */
  of(subject: string): string[]
  remedy(finding: string): string
}

export async function doctor(t: TestContext, env: Record<string, string>): Promise<Examination> {
  const process = startGatehouse(t, ['doctor'], env)
  const exitCode = await process.exited
  assert.equal(process.stderr(), '')
  const text = process.stdout()
  const lines = text.trimEnd().split('\n')
  const findings = lines.map((line) => /^(ok|warning|fault) +([a-z]+) +(.+)$/.exec(line))
  return {
    exitCode,
    text,
    of: (subject) => findings.flatMap((found) => (found?.[2] === subject ? [`${found[1]}: ${found[3]}`] : [])),
    remedy(finding) {
      const at = lines.findIndex((line) => line.endsWith(finding.slice(finding.indexOf(': ') + 2)))
      return (lines[at + 1] ?? '').trim()
    },
  }
}
