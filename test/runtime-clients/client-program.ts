import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { FakeService } from '../../clients/conformance/fake-service.ts'
import { ended, startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'

const clients = join(import.meta.dirname, '../../clients')

/** The client, as a program in TypeScript imports it. */
export const typescriptClient = JSON.stringify(join(clients, 'typescript/src/runtime.ts'))

export const languages = ['TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** Starts a program, given as source text, that uses a client of this checkout. Warnings of Python are errors. */
export function startClient(t: TestContext, language: Language, program: string, env: Record<string, string>) {
  const command: readonly [string, ...string[]] =
    language === 'Python' ? [python(), '-c'] : [process.execPath, '--input-type=module', '--eval']
  const ofPython = { PYTHONPATH: join(clients, 'python'), PYTHONWARNINGS: 'error' }
  return startProgram(t, [...command, program], { ...ofPython, ...env })
}

export const kit = join(clients, 'conformance/run.mjs')

/** Asserts that a client passes every case of the conformance kit, or those that the options choose. */
export async function passesKit(t: TestContext, command: readonly string[], options: readonly string[] = []) {
  const { stdout } = await ended(startProgram(t, [process.execPath, kit, ...options, '--', ...command], {}), 0)
  assert.match(stdout, /^([1-9]\d*) of \1 cases passed$/m)
}

/** Starts a program as {@link startClient} does, with the URL of a scripted service that stops when the test ends. */
export async function startWithFakeService(
  t: TestContext,
  language: Language,
  program: string,
  env: Record<string, string> = {},
) {
  const service = await FakeService.open()
  t.after(() => service.stop())
  const own = { GATEHOUSE_URL: service.url, GATEHOUSE_RUNTIME_KEY: 'svc_rk_one' }
  return { service, client: startClient(t, language, program, { ...own, ...env }) }
}
