import { parseArgs } from 'node:util'

/** Every command, with its text in `--help`. */
const commands = {
  serve: 'run the service until it is told to stop (SIGTERM or Ctrl-C)',
  demo: 'run it on throw-away data, with a user, an application, bots and a bot runtime to try',
  listen: "show a bot's webhooks in this terminal as they come, and forward them to a local address",
  backup: 'write all data into a new folder, also while the service runs: gatehouse backup <folder>',
  restore: 'put such a folder back into an empty DATA_DIR: gatehouse restore <folder>',
  migrate: 'copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>',
  doctor: 'examine settings, keys, disk, clock, ports and the way through the proxy, and say what to mend',
  'rotate-secret-key': 'put a new secret key before the one in use, which still holds for what was made with it',
  'operator-key': 'print the operator key, the bearer key of the control surface',
} as const
export type CommandName = keyof typeof commands

/** Options of `listen`. */
export interface ListenOptions {
  /** API URL of the service. */
  url: string
  bot: string
  forward: string | undefined
}

const withFolder = ['backup', 'restore'] as const
type FolderCommand = (typeof withFolder)[number]
/** Commands without arguments. */
export type PlainCommand = Exclude<CommandName, 'listen' | 'migrate' | FolderCommand>

export type CommandLine =
  | { kind: 'command'; name: PlainCommand }
  | { kind: 'command'; name: FolderCommand; folder: string }
  | { kind: 'command'; name: 'migrate'; from: string }
  | { kind: 'command'; name: 'listen'; options: ListenOptions }
  | { kind: 'help'; of: CommandName | undefined }
  | { kind: 'version' }
  | { kind: 'mistaken'; message: string; of: CommandName | undefined }

/** Options by the command that takes them. */
const ownOptions = { url: 'listen', bot: 'listen', forward: 'listen', key: 'listen', from: 'migrate' } as const

/** @param words the arguments after the program's name. */
export function parseCommandLine(words: readonly string[]): CommandLine {
  let parsed: ReturnType<typeof parseWords>
  try {
    parsed = parseWords(words)
  } catch (error) {
    return { kind: 'mistaken', message: (error as Error).message, of: undefined }
  }
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (values.help) return { kind: 'help', of: name !== undefined && isCommand(name) ? name : undefined }
  if (values.version) return { kind: 'version' }
  if (name === undefined) return { kind: 'mistaken', message: 'No command was given.', of: undefined }
  if (!isCommand(name)) {
    return { kind: 'mistaken', message: `There is no command ${JSON.stringify(name)}.`, of: undefined }
  }
  const mistaken = (message: string): CommandLine => ({ kind: 'mistaken', message, of: name })
  if (name === 'listen' && (values.key !== undefined || rest.some((word) => word.startsWith('svc_rk_')))) {
    return mistaken(
      'A key on the command line is seen by everybody who lists the processes, and stays in the history of your ' +
        'shell. Put it into the environment variable GATEHOUSE_RUNTIME_KEY; make a new one if this one is in use.',
    )
  }
  const foreign = (Object.keys(ownOptions) as (keyof typeof ownOptions)[]).find(
    (option) => values[option] !== undefined && ownOptions[option] !== name,
  )
  if (foreign !== undefined) return mistaken(`${name} takes no --${foreign}.`)
  if (isFolderCommand(name)) {
    const [folder, ...more] = rest
    if (folder === undefined || more.length > 0) return mistaken(`${name} takes one folder behind it.`)
    return { kind: 'command', name, folder }
  }
  if (rest.length > 0) return mistaken(`${name} takes nothing behind it.`)
  if (name === 'migrate') {
    if (values.from === undefined) return mistaken('migrate needs --from, the data directory to copy.')
    return { kind: 'command', name, from: values.from }
  }
  if (name === 'listen') {
    const { url, bot, forward } = values
    if (url === undefined) return mistaken('listen needs --url, the API address of the service.')
    if (bot === undefined) return mistaken('listen needs --bot, the id of the bot.')
    return { kind: 'command', name, options: { url, bot, forward } }
  }
  return { kind: 'command', name }
}

function parseWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      url: { type: 'string' },
      bot: { type: 'string' },
      forward: { type: 'string' },
      from: { type: 'string' },
      // Only accepted so that it can be rejected with an explanation.
      key: { type: 'string' },
    },
  })
}

function isFolderCommand(name: CommandName): name is FolderCommand {
  return withFolder.some((command) => command === name)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

/** @param of the command to describe. If it is missing or has no help text, returns the general help. */
export function helpText(version: string, of?: CommandName): string {
  if (of === 'listen') return listenHelp
  const widest = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  return `Gatehouse ${version}: sign-in, webhooks and bot status at the gate of a bot platform

Usage: gatehouse <command>

Commands
${lines.join('\n')}

Options
  ${'-h, --help'.padEnd(widest)}  print this; behind listen, what it takes
  ${'--version'.padEnd(widest)}  print the version

It is set up by environment variables such as BASE_URL, DATA_DIR and LOG_LEVEL; docs/operations.md lists them all.
`
}

const listenHelp = `gatehouse listen: show a bot's webhooks in this terminal as they come

Usage: GATEHOUSE_RUNTIME_KEY=svc_rk_… gatehouse listen --url <api address> --bot <bot id> [--forward <local address>]

  --url      API address of the service, such as https://api.example.com or ws://localhost:3001
  --bot      id of the bot
  --forward  address that each webhook is posted to, with the same body and headers, such as
             http://localhost:8080/hook. An answer of 2xx means done; any other, or none, a failed
             attempt, which comes again. Without it each webhook is done once it was shown.

GATEHOUSE_RUNTIME_KEY holds a runtime key that may host the bot. It is never taken from the command line,
where others can read it. In bash, \`read -rs GATEHOUSE_RUNTIME_KEY; export GATEHOUSE_RUNTIME_KEY\` keeps it
out of the history too.

While it listens, it takes webhooks away from the bot's real runtime: each goes to one of the two. It says
nothing about how the bot is, so bot status stays what the real runtime reports. Ctrl-C ends it: what was not
finished goes back to the queue.

Example
  gatehouse listen --url http://localhost:3001 --bot lantern --forward http://localhost:8080/hook
`
