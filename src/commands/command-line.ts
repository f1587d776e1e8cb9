import { parseArgs } from 'node:util'

const commands = {
  serve: 'run the service until SIGTERM or Ctrl-C',
  demo: 'run the service on throw-away data, with a sample user, application, bots and bot runtime',
  listen: "show a bot's webhooks in this terminal, and forward them to a local URL",
  backup: 'copy all data to a new folder, even while the service runs: gatehouse backup <folder>',
  restore: 'restore a backup into an empty DATA_DIR: gatehouse restore <folder>',
  migrate: 'copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>',
  doctor: 'check settings, keys, disk, clock, ports and proxy, and print a remedy for each problem',
  'rotate-secret-key': 'create a new secret key; secrets created with the previous one stay valid',
  'operator-key': 'print the operator key, the bearer key of the control surface',
} as const
export type CommandName = keyof typeof commands

export interface ListenOptions {
  url: string
  bot: string
  forward: string | undefined
  /** Pairs such as `orders=http://localhost:8080/orders`. */
  paths: readonly string[]
  take: boolean
}

const folderCommands = ['backup', 'restore'] as const
type FolderCommand = (typeof folderCommands)[number]
export type PlainCommand = Exclude<CommandName, 'listen' | 'migrate' | FolderCommand>

export type CommandLine =
  | { kind: 'command'; name: PlainCommand }
  | { kind: 'command'; name: FolderCommand; folder: string }
  | { kind: 'command'; name: 'migrate'; from: string }
  | { kind: 'command'; name: 'listen'; options: ListenOptions }
  | { kind: 'help'; of: CommandName | undefined }
  | { kind: 'version' }
  | { kind: 'usage-error'; message: string; of: CommandName | undefined }

/** Options supported by each command. */
const ownOptions = {
  url: 'listen',
  bot: 'listen',
  forward: 'listen',
  path: 'listen',
  take: 'listen',
  key: 'listen',
  from: 'migrate',
} as const

export function parseCommandLine(words: readonly string[]): CommandLine {
  let parsed: ReturnType<typeof parseWords>
  try {
    parsed = parseWords(words)
  } catch (error) {
    return { kind: 'usage-error', message: (error as Error).message, of: undefined }
  }
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (values.help) return { kind: 'help', of: name !== undefined && isCommand(name) ? name : undefined }
  if (values.version) return { kind: 'version' }
  if (name === undefined) return { kind: 'usage-error', message: 'Missing command.', of: undefined }
  if (!isCommand(name)) {
    return { kind: 'usage-error', message: `Unknown command ${JSON.stringify(name)}.`, of: undefined }
  }
  const usageError = (message: string): CommandLine => ({ kind: 'usage-error', message, of: name })
  if (name === 'listen' && (values.key !== undefined || rest.some((word) => word.startsWith('svc_rk_')))) {
    return usageError(
      'Keys must not be on the command line: other users can list processes, and your shell keeps a history. Set ' +
        'the environment variable GATEHOUSE_RUNTIME_KEY instead, and replace this key if it is in use.',
    )
  }
  const misplaced = (Object.keys(ownOptions) as (keyof typeof ownOptions)[]).find(
    (option) => values[option] !== undefined && ownOptions[option] !== name,
  )
  if (misplaced !== undefined) return usageError(`${name} takes no --${misplaced}.`)
  if (isFolderCommand(name)) {
    const [folder, ...more] = rest
    if (folder === undefined || more.length > 0) return usageError(`${name} takes exactly one folder.`)
    return { kind: 'command', name, folder }
  }
  if (rest.length > 0) return usageError(`${name} takes no arguments.`)
  if (name === 'migrate') {
    if (values.from === undefined) return usageError('migrate needs --from, the data directory to copy.')
    return { kind: 'command', name, from: values.from }
  }
  if (name === 'listen') {
    const { url, bot, forward, path: paths = [], take = false } = values
    if (url === undefined) return usageError('listen needs --url, the API URL of the service.')
    if (bot === undefined) return usageError('listen needs --bot, the ID of the bot.')
    return { kind: 'command', name, options: { url, bot, forward, paths, take } }
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
      path: { type: 'string', multiple: true },
      take: { type: 'boolean' },
      from: { type: 'string' },
      // `--key` is accepted only so that it can be rejected with an explanation.
      key: { type: 'string' },
    },
  })
}

function isFolderCommand(name: CommandName): name is FolderCommand {
  return folderCommands.some((command) => command === name)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

/** @param of the command to describe. If it is missing or has no help text, the general help is returned. */
export function helpText(version: string, of?: CommandName): string {
  if (of === 'listen') return listenHelp
  const widest = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  return `Gatehouse ${version}: sign-in, webhooks and bot status at the gate of a bot platform

Usage: gatehouse <command>
In a checkout: node bin/gatehouse.mjs <command>

Commands
${lines.join('\n')}

Options
  ${'-h, --help'.padEnd(widest)}  print this help; after listen, its options
  ${'--version'.padEnd(widest)}  print the version, and the commit where it is known

Set environment variables such as BASE_URL, DATA_DIR and LOG_LEVEL to configure it; docs/operations.md lists all.
`
}

const listenHelp = `gatehouse listen: show a bot's webhooks in this terminal

Usage: GATEHOUSE_RUNTIME_KEY=svc_rk_… gatehouse listen --url <api url> --bot <bot id> [options]
In a checkout, gatehouse is node bin/gatehouse.mjs.

  --url      API URL of the service, such as https://api.example.com or ws://localhost:3001
  --bot      ID of the bot
  --forward  URL to post each webhook to, such as http://localhost:8080/hook. It gets the same body and
             headers, and gatehouse-event-id, gatehouse-attempt, gatehouse-flow-id and gatehouse-path.
  --path     <webhook path>=<URL>: posts the webhooks of this path there instead. Can be repeated. With
             --forward, a path on its server is enough: --path orders=/api/orders
  --take     Take webhooks out of the queue as a runtime does, instead of showing copies

GATEHOUSE_RUNTIME_KEY must be a runtime key that may host the bot. It can't be given on the command line,
where other users can read it. In bash, \`read -rs GATEHOUSE_RUNTIME_KEY; export GATEHOUSE_RUNTIME_KEY\` keeps
it out of the history too.

By default, it shows copies of the webhooks that arrive while it is connected. The bot's runtime keeps
running, and your server's response has no effect.

With --take, each webhook goes either here or to the bot's real runtime, one at a time. A 2xx response from
your server acknowledges it. Any other response, or none, is a failed attempt and is retried. A webhook that
isn't forwarded is acknowledged once it has been shown. Press Ctrl-C to stop: unfinished webhooks go back to
the queue.

Bot status stays what the real runtime reports.

Example
  gatehouse listen --url http://localhost:3001 --bot lantern --forward http://localhost:8080/hook
`
