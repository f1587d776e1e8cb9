import { exitCodes, printingFaults } from '../../../src/commands/start-fault.ts'
import { type ClientCommandLine, clientHelp, parseClientCommandLine } from './command-line.ts'

/** Runs `gatehouse listen`, `send` or `status` and resolves with the exit code. Prints faults to standard error. */
export async function runClient(words: readonly string[], version: string): Promise<number> {
  const commandLine = parseClientCommandLine(words)
  switch (commandLine.kind) {
    case 'help':
      process.stdout.write(clientHelp(version, commandLine.of))
      return exitCodes.ok
    case 'version':
      process.stdout.write(`${version}\n`)
      return exitCodes.ok
    case 'usage-error':
      process.stderr.write(`${commandLine.message}\n\n${clientHelp(version, commandLine.of)}`)
      return exitCodes.usage
  }
  return printingFaults(() => runCommand(commandLine, version))
}

/** Loads only the module of the command. */
async function runCommand(
  command: Extract<ClientCommandLine, { kind: 'listen' | 'send' | 'status' }>,
  version: string,
): Promise<number> {
  switch (command.kind) {
    case 'listen':
      return (await import('./listen/listen.ts')).listen(command.options, version)
    case 'send':
      return (await import('./send.ts')).send(command.options, version)
    case 'status':
      return (await import('./status.ts')).status(command.options, version)
  }
}
