import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { freshEnvironment, startAndStop, startGatehouse } from './gatehouse-process.ts'

/** An unprivileged user that runs the service in tests that root runs. */
export const serviceUser = 65_534

export const isRoot = process.getuid?.() === 0
export const needsRoot = 'only root can run commands as another user: run the tests as root'

/** Compile cache for the service's user, which has no access to root's. */
const compileCache = mkdtempSync(join(tmpdir(), 'gatehouse-compile-cache-'))
if (isRoot) chownSync(compileCache, serviceUser, serviceUser)
after(() => rmSync(compileCache, { recursive: true, force: true }))

/** Starts a command as the service's user. Requires root. */
export function startAsService(t: TestContext, words: readonly string[], env: Record<string, string>) {
  const user = ['--reuid', String(serviceUser), '--regid', String(serviceUser), '--clear-groups']
  const entry = join(import.meta.dirname, '../../src/main.ts')
  const program = ['setpriv', ...user, process.execPath, entry] as const
  return startGatehouse(t, words, { ...env, NODE_COMPILE_CACHE: compileCache }, program)
}

/**
 * Creates a data directory that belongs to the service's user, as if that user had run the service once. Returns
 * `undefined` if this process is not root.
 */
export async function openServiceData(t: TestContext) {
  if (!isRoot) return undefined
  const env = await freshEnvironment(t)
  await startAndStop(t, env)
  chownSync(dirname(env.DATA_DIR), serviceUser, serviceUser)
  giveToService(env.DATA_DIR)
  return env
}

export function giveToService(folder: string): void {
  chownSync(folder, serviceUser, serviceUser)
  for (const name of readdirSync(folder)) chownSync(join(folder, name), serviceUser, serviceUser)
}
