import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openLog } from '../../src/commands/log.ts'
import { startService } from '../../src/commands/serve/start-service.ts'
import { configured, StartFault } from '../../src/commands/start-fault.ts'

/** A service in this process, started in the same way as by `gatehouse serve`. */
export interface InProcessService {
  stop(): Promise<void>
}

/**
 * Starts a service in this process and stops it when the test ends. This takes a tenth as long as starting a separate
 * process, which only tests of the process itself need.
 *
 * @throws StartFault
 */
export async function startInProcess(t: TestContext, env: Record<string, string>): Promise<InProcessService> {
  // `gatehouse serve` does the same, so that other users can't read its files.
  const mask = process.umask(0o077)
  const running = await startService(configured(env), openLog('silent')).finally(() => process.umask(mask))
  let stopping: Promise<unknown> | undefined
  const stop = async () => {
    stopping ??= running.stop(8_000)
    assert.equal(await stopping, 'drained')
  }
  t.after(stop)
  return { stop }
}

/** Returns the exit code of a failed start and what `gatehouse serve` would write to standard error. */
export async function startFailure(t: TestContext, env: Record<string, string>): Promise<[number, string]> {
  try {
    await startInProcess(t, env)
  } catch (error) {
    if (error instanceof StartFault) {
      return [error.exitCode, error.lines.map((line) => `gatehouse: ${line}\n`).join('')]
    }
    throw error
  }
  return assert.fail('it started')
}
