import { existsSync } from 'node:fs'
import { runClient } from '../clients/cli/src/run-client.ts'
import { buildInWords, readBuild, readVersion } from './commands/build.ts'
import { surviveClosedOutput } from './commands/closed-output.ts'
import { type Command, helpText, parseCommandLine } from './commands/command-line.ts'
import { firstSignal } from './commands/first-signal.ts'
import { operatorKeyOf, rotateSecretKey } from './commands/keys.ts'
import { configured, exitCodes, failed, printingFaults } from './commands/start-fault.ts'

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
      return printingFaults(() => run(commandLine.command))
  }
}

/** The large commands are imported only when they run. */
async function run(command: Command): Promise<number> {
  switch (command.name) {
    case 'serve': {
      // Before the import, which takes most of the startup time. A signal during it would end the process with 143.
      const signalled = firstSignal(['SIGTERM', 'SIGINT'])
      return (await import('./commands/serve/serve.ts')).serve(signalled)
    }
    case 'demo':
      if (existsSync(new URL('../demo/demo.ts', import.meta.url))) return (await import('../demo/demo.ts')).demo()
      throw failed('the demo is not installed here; run it from a clone of the repository with npm run demo')
    case 'backup':
      return (await import('./commands/backup/backup.ts')).backUp(command.folder, readVersion())
    case 'restore':
      return (await import('./commands/backup/restore.ts')).restore(command.folder)
    case 'migrate':
      return (await import('./commands/migrate/migrate.ts')).migrateFrom(command.from)
    case 'distribute':
      return (await import('./commands/distribute.ts')).distribute()
    case 'doctor':
      return (await import('./commands/doctor/doctor.ts')).doctor()
    case 'user':
    case 'application':
      return (await import('./commands/control.ts')).runAccessCommand(command)
    case 'bots':
      return (await import('./commands/control.ts')).listBots(command)
    case 'queues':
      return (await import('./commands/control.ts')).listQueues()
    case 'rotate-secret-key': {
      process.umask(0o077)
      const path = rotateSecretKey(configured())
      process.stdout.write(`Added a new key to ${path}. Restart the service, and back up the file.\n`)
      return exitCodes.ok
    }
    case 'operator-key':
      process.stdout.write(`${operatorKeyOf(configured())}\n`)
      return exitCodes.ok
  }
}
