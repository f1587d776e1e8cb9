import { exitCodes, StartFault } from '../../../src/commands/start-fault.ts'
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
  try {
    return await runCommand(commandLine, version)
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    for (const line of error.lines) process.stderr.write(`gatehouse: ${line}\n`)
    return error.exitCode
  }
}

/** Loads only the module of the command. */
async function runCommand(
  command: Extract<ClientCommandLine, { kind: 'listen' | 'send' | 'status' }>,
  version: string,
): Promise<number> {
  switch (command.kind) {
    case 'listen': {
      const { listen } = await import('./listen/listen.ts')
      return listen(command.options, version)
    }
    case 'send': {
      const { send } = await import('./send.ts')
      return send(command.options, version)
    }
    case 'status': {
      const { status } = await import('./status.ts')
      return status(command.options, version)
    }
  }
}
