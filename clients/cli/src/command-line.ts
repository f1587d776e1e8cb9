import { type ParseArgsConfig, parseArgs } from 'node:util'
import type {
  SignatureEncoding,
  SignatureHash,
  SignatureSetting,
} from '../../../src/domain/bots/flows/signature-setting.ts'
import { helpOf } from './help.ts'

export const clientCommands = {
  listen: "show a bot's webhooks in this terminal, and forward them to a local URL",
  send: 'send a sample webhook, signed if the flow requires it, and print the response',
  status: "print a bot's public status",
} as const
export type ClientCommand = keyof typeof clientCommands

export interface ListenOptions {
  url: string
  bot: string
  forward: string | undefined
  /** The values of `--path`, such as `orders=http://localhost:8080/orders`. */
  paths: readonly string[]
  take: boolean
}

/** The signature of a sample webhook. Discord's signatures need its private key, so there is no preset for them. */
export type Signing = Exclude<SignatureSetting, { preset: 'discord' }>

export interface SendOptions {
  url: string
  /**
   * The value of `--data`: a body, `@file` to read the body from a file, or `@-` to read it from standard input.
   * `undefined` sends a sample.
   */
  data: string | undefined
  /** The values of `--header`, such as `X-GitHub-Delivery: 1`. */
  headers: readonly string[]
  signing: Signing | undefined
}

export interface StatusOptions {
  url: string
  json: boolean
}

export type ClientCommandLine =
  | { kind: 'listen'; options: ListenOptions }
  | { kind: 'send'; options: SendOptions }
  | { kind: 'status'; options: StatusOptions }
  | { kind: 'help'; of: ClientCommand | undefined }
  | { kind: 'version' }
  | { kind: 'usage-error'; message: string; of: ClientCommand | undefined }

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const everywhere = { help: { ...flag, short: 'h' }, version: flag } as const
const options = {
  // `--key` is not supported. It is parsed so that the error can name the environment variable to use instead.
  listen: {
    url: text,
    bot: text,
    forward: text,
    path: { ...text, multiple: true },
    take: flag,
    key: text,
    ...everywhere,
  },
  send: {
    data: { ...text, short: 'd' },
    header: { ...text, short: 'H', multiple: true },
    sign: text,
    'signature-header': text,
    'signature-hash': text,
    'signature-encoding': text,
    'signature-prefix': text,
    'signature-signed': text,
    'signature-timestamp-header': text,
    'signature-timestamp-part': text,
    ...everywhere,
  },
  status: { json: flag, ...everywhere },
} as const satisfies Record<ClientCommand, ParseArgsConfig['options']>

const keyOnTheLine =
  'Keys must not be on the command line: other users can list processes, and your shell keeps a history. Set the ' +
  'environment variable'

export function isClientCommand(name: string | undefined): name is ClientCommand {
  return name !== undefined && Object.hasOwn(clientCommands, name)
}

export function parseClientCommandLine(words: readonly string[]): ClientCommandLine {
  const name = words.find((word) => !word.startsWith('-'))
  if (name !== undefined && !isClientCommand(name)) {
    return { kind: 'usage-error', message: `Unknown command ${JSON.stringify(name)}.`, of: undefined }
  }
  try {
    if (name === undefined) return parseWithoutCommand(words)
    const args = words.toSpliced(words.indexOf(name), 1)
    switch (name) {
      case 'listen':
        return parseListen(args)
      case 'send':
        return parseSend(args)
      case 'status':
        return parseStatus(args)
    }
  } catch (error) {
    return { kind: 'usage-error', message: (error as Error).message, of: name }
  }
}

function parseWithoutCommand(words: readonly string[]): ClientCommandLine {
  const { values } = parseArgs({ args: [...words], options: everywhere })
  if (values.help) return { kind: 'help', of: undefined }
  if (values.version) return { kind: 'version' }
  return { kind: 'usage-error', message: 'Missing command.', of: undefined }
}

function parseListen(args: string[]): ClientCommandLine {
  const { values, positionals } = parseArgs({ args, options: options.listen, allowPositionals: true })
  if (values.help) return { kind: 'help', of: 'listen' }
  if (values.version) return { kind: 'version' }
  const { url, bot, forward, path: paths = [], take = false } = values
  if (values.key !== undefined || positionals.some((word) => word.startsWith('svc_rk_'))) {
    throw new Error(`${keyOnTheLine} GATEHOUSE_RUNTIME_KEY instead, and replace this key if it is in use.`)
  }
  if (positionals.length > 0) throw new Error('listen takes no arguments.')
  if (url === undefined) throw new Error('listen needs --url, the API URL of the service.')
  if (bot === undefined) throw new Error('listen needs --bot, the ID of the bot.')
  return { kind: 'listen', options: { url, bot, forward, paths, take } }
}

function parseSend(args: string[]): ClientCommandLine {
  const { values, positionals } = parseArgs({ args, options: options.send, allowPositionals: true })
  if (values.help) return { kind: 'help', of: 'send' }
  if (values.version) return { kind: 'version' }
  const { data, header: headers = [] } = values
  if (headers.some((line) => /^svc-key\s*:/i.test(line))) {
    throw new Error(`${keyOnTheLine} GATEHOUSE_FLOW_KEY instead, and replace this key if it is in use.`)
  }
  const strange = headers.find((line) => !/^[!#$%&'*+.^_`|~\w-]+:[\t -~]*$/.test(line))
  if (strange !== undefined)
    throw new Error(`--header must be a name, a colon and a value, in ASCII; got ${JSON.stringify(strange)}.`)
  const url = onlyUrl(positionals, 'send needs the webhook URL, as the page of the flow shows it.')
  return { kind: 'send', options: { url, data, headers, signing: signingOf(values) } }
}

type SigningOption = Extract<keyof typeof options.send, 'sign' | `signature-${string}`>
type SigningValues = Readonly<Partial<Record<SigningOption, string>>>

const named = ['github', 'stripe', 'slack', 'shopify', 'standard-webhooks'] as const
const hashes = ['sha1', 'sha256', 'sha512'] as const satisfies readonly SignatureHash[]
const encodings = ['hex', 'base64'] as const satisfies readonly SignatureEncoding[]

function signingOf({ sign, ...details }: SigningValues): Signing | undefined {
  if (sign === 'hmac' || sign === 'token') {
    const header = details['signature-header']
    if (header === undefined || !/^[A-Za-z0-9_-]+$/.test(header)) {
      throw new Error(
        `--sign ${sign} needs --signature-header, the name of the header with the ${sign === 'hmac' ? 'signature' : 'token'}.`,
      )
    }
    if (sign === 'hmac') return { preset: sign, header, ...hmacOf(details) }
    refuseUnused(details, ['signature-header'])
    return { preset: sign, header }
  }
  refuseUnused(details, [])
  if (sign === 'discord') {
    throw new Error('--sign discord is not possible: Discord signs with a private key that only Discord has.')
  }
  return sign === undefined ? undefined : { preset: oneOf('--sign', named, sign, ', token or hmac') }
}

function hmacOf(details: Omit<SigningValues, 'sign'>) {
  const [signed, timestampHeader] = [details['signature-signed'], details['signature-timestamp-header']]
  const timestampPart = details['signature-timestamp-part']
  if (signed !== undefined && !signed.includes('{body}')) throw new Error('--signature-signed must contain {body}.')
  return {
    hash: oneOf('--signature-hash', hashes, details['signature-hash'] ?? 'sha256'),
    encoding: oneOf('--signature-encoding', encodings, details['signature-encoding'] ?? 'hex'),
    prefix: details['signature-prefix'] ?? '',
    ...(signed !== undefined && { signed }),
    ...(timestampHeader !== undefined && { timestampHeader }),
    ...(timestampPart !== undefined && { timestampPart }),
  }
}

function refuseUnused(details: SigningValues, used: readonly string[]): void {
  const unused = Object.keys(details).find((name) => name.startsWith('signature-') && !used.includes(name))
  if (unused !== undefined) throw new Error(`--${unused} is only for --sign hmac.`)
}

function oneOf<const Word extends string>(option: string, words: readonly Word[], given: string, more = ''): Word {
  const word = words.find((candidate) => candidate === given)
  if (word === undefined)
    throw new Error(`${option} must be one of ${words.join(', ')}${more}; got ${JSON.stringify(given)}.`)
  return word
}

function parseStatus(args: string[]): ClientCommandLine {
  const { values, positionals } = parseArgs({ args, options: options.status, allowPositionals: true })
  if (values.help) return { kind: 'help', of: 'status' }
  if (values.version) return { kind: 'version' }
  const url = onlyUrl(positionals, 'status needs the URL of a bot’s status page.')
  if (!/\/botstatus\/[^/]+(\/api)?\/?$/.test(new URL(url).pathname)) {
    throw new Error(`status needs a URL that ends in /botstatus/<bot>; got ${JSON.stringify(url)}.`)
  }
  return { kind: 'status', options: { url, json: values.json ?? false } }
}

function onlyUrl(positionals: readonly string[], missing: string): string {
  const [given, ...more] = positionals
  if (given === undefined) throw new Error(missing)
  if (more.length > 0) throw new Error(`Only one URL is expected, but there is also ${JSON.stringify(more[0])}.`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error(
      `The URL must start with https:// or http:// and contain no password; got ${JSON.stringify(given)}.`,
    )
  }
  return url.href
}

/** @param command the command to describe; `undefined` describes all commands. */
export function clientHelp(version: string, command: ClientCommand | undefined): string {
  return command === undefined ? overview(version) : helpOf[command]
}

function overview(version: string): string {
  const lines = Object.entries(clientCommands).map(([name, does]) => `  ${name.padEnd(9)}  ${does}`)
  return `Gatehouse ${version}: commands for developers of bots

Usage: gatehouse <command>

Commands
${lines.join('\n')}

Options
  -h, --help  print this help; after a command, its options
  --version   print the version
`
}
