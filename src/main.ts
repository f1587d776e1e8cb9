import { existsSync } from 'node:fs'
import { runClient } from '../clients/cli/src/run-client.ts'
import { buildInWords, readBuild, readVersion } from './commands/build.ts'
import { surviveClosedOutput } from './commands/closed-output.ts'
import { type CommandLine, helpText, type PlainCommand, parseCommandLine } from './commands/command-line.ts'
import { operatorKeyOf, rotateSecretKey } from './commands/keys.ts'
import { configured, exitCodes, failed, StartFault } from './commands/start-fault.ts'

/** Commands without arguments. The large ones are imported only when they run. */
const runs: Record<PlainCommand, () => Promise<number>> = {
  async serve() {
    const { serve } = await import('./commands/serve/serve.ts')
    return serve()
  },
  async demo() {
    const file = new URL('../demo/demo.ts', import.meta.url)
    if (!existsSync(file)) {
      throw failed('the demo is not installed here; run it from a clone of the repository with npm run demo')
    }
    const { demo } = await import('../demo/demo.ts')
    return demo()
  },
  async distribute() {
    const { distribute } = await import('./commands/distribute.ts')
    return distribute()
  },
  async doctor() {
    const { doctor } = await import('./commands/doctor/doctor.ts')
    return doctor()
  },
  async 'rotate-secret-key'() {
    process.umask(0o077)
    const path = rotateSecretKey(configured())
    process.stdout.write(`Added a new key to ${path}. Restart the service, and back up the file.\n`)
    return exitCodes.ok
  },
  async 'operator-key'() {
    process.stdout.write(`${operatorKeyOf(configured())}\n`)
    return exitCodes.ok
  },
  async queues() {
    const { listQueues } = await import('./commands/control.ts')
    return listQueues()
  },
}

surviveClosedOutput()
process.exit(await main(process.argv.slice(2)))

async function main(words: readonly string[]): Promise<number> {
  const commandLine = parseCommandLine(words)
  switch (commandLine.kind) {
    case 'client':
      return runClient(words, readVersion())
    case 'help':
      process.stdout.write(helpText(readVersion()))
      return exitCodes.ok
    case 'version':
      process.stdout.write(`${buildInWords(readBuild())}\n`)
      return exitCodes.ok
    case 'usage-error':
      process.stderr.write(`${commandLine.message}\n\n${helpText(readVersion())}`)
      return exitCodes.usage
    case 'command':
      return run(() => runCommand(commandLine))
  }
}

async function runCommand(command: Extract<CommandLine, { kind: 'command' }>): Promise<number> {
  switch (command.name) {
    case 'migrate': {
      const { migrateFrom } = await import('./commands/migrate/migrate.ts')
      return migrateFrom(command.from)
    }
    case 'backup': {
      const { backUp } = await import('./commands/backup/backup.ts')
      return backUp(command.folder, readVersion())
    }
    case 'restore': {
      const { restore } = await import('./commands/backup/restore.ts')
      return restore(command.folder)
    }
    case 'user':
    case 'application': {
      const { runAccessCommand } = await import('./commands/control.ts')
      return runAccessCommand(command)
    }
    case 'bots': {
      const { listBots } = await import('./commands/control.ts')
      return listBots(command)
    }
    default:
      return runs[command.name]()
  }
}

async function run(command: () => Promise<number>): Promise<number> {
  try {
    return await command()
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    for (const line of error.lines) process.stderr.write(`gatehouse: ${line}\n`)
    return error.exitCode
  }
}
