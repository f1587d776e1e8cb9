import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ended, startGatehouse } from './gatehouse-process.ts'

interface Examination {
  text: string
  /** Returns the findings on a subject, each as `<level>: <finding>`. */
  of(subject: string): string[]
  remedy(finding: string): string
}

/** Runs `gatehouse doctor` and asserts its exit code. */
export async function doctor(t: TestContext, env: Record<string, string>, exitCode = 0): Promise<Examination> {
  const { stdout: text, stderr } = await ended(startGatehouse(t, ['doctor'], env), exitCode)
  assert.equal(stderr, '')
  const lines = text.trimEnd().split('\n')
  const findings = lines.map((line) => /^(ok|warning|fault) +([a-z]+) +(.+)$/.exec(line))
  return {
    text,
    of: (subject) => findings.flatMap((found) => (found?.[2] === subject ? [`${found[1]}: ${found[3]}`] : [])),
    remedy(finding) {
      const at = lines.findIndex((line) => line.endsWith(finding.slice(finding.indexOf(': ') + 2)))
      return (lines[at + 1] ?? '').trim()
    },
  }
}
