import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Commands that documented commands and samples use. Each is also the name of its Debian package. */
const shellCommands = ['bash', 'curl', 'git', 'openssl', 'python3'] as const
type ShellCommand = (typeof shellCommands)[number]

export function missingShellCommands(among: readonly ShellCommand[] = shellCommands): ShellCommand[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return among.filter((name) => !folders.some((folder) => existsSync(join(folder, name))))
}

/** Skips a test on a machine without one of these commands, and returns whether it did. `npm run test:all` installs them. */
export function lacks(t: TestContext, ...commands: readonly ShellCommand[]): boolean {
  const missing = missingShellCommands(commands)
  if (missing.length > 0) t.skip(`without ${missing.join(', ')}`)
  return missing.length > 0
}
