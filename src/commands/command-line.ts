import { parseArgs } from 'node:util'
import { clientCommands, isClientCommand } from '../../clients/cli/src/command-line.ts'
import { parseApplicationId, parseUserId } from '../domain/ids-and-secrets.ts'

const accessActions = {
  user: ['export', 'delete', 'disable', 'enable', 'end-sessions', 'revoke-tokens'],
  application: ['delete', 'disable', 'enable', 'revoke-tokens'],
} as const
const parseAccessId = { user: parseUserId, application: parseApplicationId }

const commands = {
  serve: 'run the service until SIGTERM or Ctrl-C',
  demo: 'run the service on throw-away data, with a sample user, application, bots and bot runtime',
  backup: 'copy all data to a new folder, even while the service runs: gatehouse backup <folder>',
  restore: 'restore a backup into an empty DATA_DIR: gatehouse restore <folder>',
  migrate: 'copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>',
  distribute: 'divide the delivery queue over the workers of a Citus database, at DATABASE_URL',
  doctor: 'check settings, keys, disk, clock, ports and proxy, and print a remedy for each problem',
  'rotate-secret-key': 'create a new secret key; secrets created with the previous one stay valid',
  'operator-key': 'print the operator key, the bearer key of the control surface',
  user: `export or delete a user, or end their access: ${accessUsage('user')}`,
  application: `delete an application, or end its access: ${accessUsage('application')}`,
  bots: 'list all bots with runtime and queue, or with --without-runtime only those without a runtime',
  queues: 'list the bots and subscriptions with the most waiting events',
} as const
type CommandName = keyof typeof commands

/** The command that takes the option. Every option here belongs to one command. */
const optionOf = { from: 'migrate', cascade: 'user', 'without-runtime': 'bots' } as const

export interface AccessCommand {
  name: keyof typeof accessActions
  action: (typeof accessActions)[keyof typeof accessActions][number]
  id: string
  /** The option `--cascade`, which only `user delete` takes. */
  cascade: boolean
}

export type Command =
  | { name: Exclude<CommandName, 'backup' | 'restore' | 'migrate' | 'bots' | AccessCommand['name']> }
  | { name: 'backup' | 'restore'; folder: string }
  | { name: 'migrate'; from: string }
  | { name: 'bots'; withoutRuntime: boolean }
  | AccessCommand

export type CommandLine =
  | { kind: 'command'; command: Command }
  /** A command of the CLI package, which parses the arguments itself. */
  | { kind: 'client' }
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'usage-error'; message: string }

export function parseCommandLine(words: readonly string[]): CommandLine {
  if (isClientCommand(words.find((word) => !word.startsWith('-')))) return { kind: 'client' }
  let parsed: ReturnType<typeof parseWords>
  try {
    parsed = parseWords(words)
  } catch (error) {
    return { kind: 'usage-error', message: (error as Error).message }
  }
  if (parsed.values.help) return { kind: 'help' }
  if (parsed.values.version) return { kind: 'version' }
  const command = commandIn(parsed)
  return typeof command === 'string' ? { kind: 'usage-error', message: command } : { kind: 'command', command }
}

/** Returns an error message if the words don't form a command. */
function commandIn({ values, positionals: [name, ...rest] }: ReturnType<typeof parseWords>): Command | string {
  if (name === undefined) return 'Missing command.'
  if (!isCommand(name)) return `Unknown command ${JSON.stringify(name)}.`
  const foreign = Object.entries(optionOf).find(([option, command]) => option in values && command !== name)
  if (foreign !== undefined) return `${name} takes no --${foreign[0]}.`
  if (name === 'backup' || name === 'restore') {
    const [folder, ...more] = rest
    return folder === undefined || more.length > 0 ? `${name} takes exactly one folder.` : { name, folder }
  }
  if (name === 'user' || name === 'application') {
    const [word, id, ...more] = rest
    const action = accessActions[name].find((known) => known === word)
    if (action === undefined || id === undefined || more.length > 0) return `Expected: ${accessUsage(name)}.`
    if (parseAccessId[name](id) === undefined) return `${JSON.stringify(id)} can't be an ID.`
    if (values.cascade && action !== 'delete') return `user ${action} takes no --cascade.`
    return { name, action, id, cascade: values.cascade ?? false }
  }
  if (rest.length > 0) return `${name} takes no arguments.`
  if (name === 'bots') return { name, withoutRuntime: values['without-runtime'] ?? false }
  if (name !== 'migrate') return { name }
  return values.from === undefined ? 'migrate needs --from, the data directory to copy.' : { name, from: values.from }
}

export function helpText(version: string): string {
  const all = { ...commands, ...clientCommands }
  const widest = Math.max(...Object.keys(all).map((name) => name.length))
  const lines = Object.entries(all).map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  return `Gatehouse ${version}: sign-in, webhooks and bot status at the gate of a bot platform

Usage: gatehouse <command>
In a checkout: node bin/gatehouse.mjs <command>

Commands
${lines.join('\n')}

Options
  ${'-h, --help'.padEnd(widest)}  print this help; after listen, send and status, their options
  ${'--cascade'.padEnd(widest)}  with user delete: also delete the applications and bots that the user owns
  ${'--version'.padEnd(widest)}  print the version, and the commit where it is known

Set environment variables such as BASE_URL, DATA_DIR and LOG_LEVEL to configure it; docs/operations.md lists all.
`
}

function parseWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      from: { type: 'string' },
      cascade: { type: 'boolean' },
      'without-runtime': { type: 'boolean' },
    },
  })
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

/** Returns how to call the command, for the help and for errors. */
function accessUsage(name: AccessCommand['name']): string {
  return `gatehouse ${name} <${accessActions[name].join('|')}> <${name} ID>`
}
