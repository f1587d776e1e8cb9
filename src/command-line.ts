import { parseArgs } from 'node:util'

/** Every command there is, with what `--help` says of it. */
const commands = {
  serve: 'run the service until it is told to stop (SIGTERM or Ctrl-C)',
  demo: 'run it on throw-away data, with a user, an application, bots and a bot runtime to try',
  'operator-key': 'print the operator key, the bearer key of the control surface',
} as const
export type CommandName = keyof typeof commands

export type CommandLine =
  | { kind: 'command'; name: CommandName }
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'mistaken'; message: string }

/** @param words what stands behind the program's name. */
export function parseCommandLine(words: readonly string[]): CommandLine {
  let parsed: ReturnType<typeof parseWords>
  try {
    parsed = parseWords(words)
  } catch (error) {
    return { kind: 'mistaken', message: (error as Error).message }
  }
  const { values, positionals } = parsed
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const [name, ...rest] = positionals
  if (name === undefined) return { kind: 'mistaken', message: 'No command was given.' }
  if (!isCommand(name)) return { kind: 'mistaken', message: `There is no command ${JSON.stringify(name)}.` }
  if (rest.length > 0) return { kind: 'mistaken', message: `${name} takes nothing behind it.` }
  return { kind: 'command', name }
}

function parseWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
  })
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

export function helpText(version: string): string {
  const widest = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  return `Gatehouse ${version}: sign-in, webhooks and bot status at the gate of a bot platform

Usage: gatehouse <command>

Commands
${lines.join('\n')}

Options
  ${'-h, --help'.padEnd(widest)}  print this
  ${'--version'.padEnd(widest)}  print the version

It is set up by environment variables such as BASE_URL, DATA_DIR and LOG_LEVEL; docs/operations.md lists them all.
`
}
