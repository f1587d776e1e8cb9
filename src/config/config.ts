import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { databaseUrls, quoted, tlsFaults } from './database-urls.ts'
import { type ProviderSettings, readProviders } from './provider-settings.ts'
import { loopbackOf, parseSurfaceUrl, portConflicts, type SurfaceAddress } from './surface-address.ts'

export interface Config {
  base: SurfaceAddress
  api: SurfaceAddress
  portal: SurfaceAddress
  control: SurfaceAddress
  /** Trusted proxies: their number, or their addresses and CIDR ranges. If `undefined`, no proxy is trusted. */
  trustProxy: number | readonly string[] | undefined
  /** Absolute path. */
  dataDir: string
  /** Absolute path of the folder with the client packages that the portal serves. The folder may be missing. */
  packagesDir: string
  /** Absolute path of the folder with the operator's gettext catalogues, which add languages. */
  cataloguesDir: string | undefined
  /** One URL per PostgreSQL host. All nodes share the database. If `undefined`, all data is in the data directory. */
  databaseUrls: readonly string[] | undefined
  /** Operator key. If `undefined`, the first start generates one in the data directory. */
  operatorKey: string | undefined
  secretKey: string | undefined
  /** Earlier secret keys. Secrets and encrypted texts created with them stay valid. */
  previousSecretKeys: readonly string[]
  signUp: 'open' | 'closed'
  sendIss: boolean
  /** Whether bot owners can create and remove flows. */
  ownerFlows: boolean
  /** Mail server and sender. If `undefined`, the service sends no email and the operator has to recover accounts. */
  smtp: { url: string; from: string } | undefined
  providers: readonly ProviderSettings[]
  queueLimits: { maxEventsPerBot: number; maxBytesPerBot: number; maxEvents: number; maxBytes: number }
  keepAliveSeconds: number
  /** Whether outgoing events may also be sent to internal addresses, and over `http://`. */
  eventsAllowPrivate: boolean
  logLevel: LogLevel
  /** Trace collector. `undefined` disables tracing. */
  tracing: { endpoint: string; headers: Readonly<Record<string, string>>; serviceName: string } | undefined
  accessLog: boolean
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Each fault is a sentence for the operator, which names the variable and never contains the value of a key. */
type ConfigReading = { config: Config } | { faults: string[]; dataDir: string }

/** Minimum length of `SECRET_KEY` and `OPERATOR_KEY`, whether set in the environment or in a file. */
export const keyMinCharacters = 32

/** Reads the environment and reports all faults. Empty means unset. Trims all but `SECRET_KEY`: data depends on it. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): ConfigReading {
  const faults: string[] = []
  const given = (variable: string): string | undefined =>
    (variable === 'SECRET_KEY' ? env[variable] : env[variable]?.trim()) || undefined
  const fault = (variable: string, expected: string, secret = false) => {
    const actual = secret ? `${given(variable)?.length} characters` : quoted(given(variable) ?? '')
    faults.push(`${variable} must be ${expected}; got ${actual}`)
  }

  function surface(prefix: string, fallback: string, hostOf: (url: URL) => string): SurfaceAddress {
    const parsed = parseSurfaceUrl(given(`${prefix}_URL`) ?? fallback)
    if (parsed === undefined) {
      fault(`${prefix}_URL`, `an http:// or https:// URL without path, query or user, such as ${fallback}`)
    }
    const url = parsed ?? new URL(fallback)
    const port = integer(`${prefix}_PORT`, 0, 65_535) ?? (Number(url.port) || (url.protocol === 'https:' ? 443 : 80))
    return { url: url.origin, host: hostOf(url), port }
  }

  function integer(variable: string, min: number, max: number): number | undefined {
    const text = given(variable)
    if (text === undefined) return undefined
    const value = Number(text)
    if (/^\d{1,16}$/.test(text) && value >= min && value <= max) return value
    fault(variable, `a whole number from ${min} to ${max}`)
    return undefined
  }

  function ownHost(variable: string): string | undefined {
    const host = given(variable)
    if (host !== undefined && isIP(host) === 0 && !hostName.test(host)) {
      fault(variable, 'an address or name of this machine without a port, such as 127.0.0.1, ::1 or 0.0.0.0')
    }
    return host
  }

  function oneOf<const Word extends string>(variable: string, words: readonly Word[], fallback: Word): Word {
    const text = given(variable)
    if (text === undefined) return fallback
    const word = words.find((candidate) => candidate === text)
    if (word === undefined) fault(variable, `one of ${words.join(', ')}`)
    return word ?? fallback
  }

  function key(variable: string): string | undefined {
    const text = given(variable)
    const isBearer = variable === 'OPERATOR_KEY'
    if (text !== undefined && (text.length < keyMinCharacters || (isBearer && /[^!-~]/.test(text)))) {
      const otherwise = isBearer || given('DATABASE_URL') === undefined ? ', or unset to have one generated' : ''
      fault(variable, `at least ${keyMinCharacters} ${isBearer ? 'visible ASCII ' : ''}characters${otherwise}`, true)
    }
    return text
  }

  /** `SECRET_KEY` can contain white space, so the last key can too. It is returned with and without its outer space. */
  function keys(variable: string): string[] {
    const words = env[variable]?.match(/\s*\S+\s*/g) ?? []
    if (words.length === 0) return []
    const lastAt = words.findIndex((word, at) => at === words.length - 1 || word.trim().length < keyMinCharacters)
    const last = words.splice(lastAt).join('')
    if (last.length < keyMinCharacters)
      fault(variable, `keys of at least ${keyMinCharacters} characters, separated by spaces`, true)
    return [...new Set([...words.map((word) => word.trim()), last.trim(), last])]
  }

  function smtp(): Config['smtp'] {
    const [url, from] = [given('SMTP_URL'), given('MAIL_FROM')]
    if (url !== undefined && !isSmtpUrl(url)) {
      // The message doesn't quote the URL, which may contain a password.
      faults.push('SMTP_URL must be smtp://user:password@host:port or smtps://…, percent-encoded if necessary')
    }
    if (from !== undefined && !mailSender.test(from)) {
      fault('MAIL_FROM', 'an address such as gate@example.com, or Gatehouse <gate@example.com>')
    }
    if (url === undefined && from === undefined) return undefined
    if (url !== undefined && from !== undefined) return { url, from }
    const [variable, other] = url === undefined ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL']
    faults.push(`${variable} is missing, but ${other} is set; set both or neither`)
    return undefined
  }

  function tracing(): Config['tracing'] {
    const endpoint = given('OTEL_EXPORTER_OTLP_ENDPOINT')
    const pairs = (given('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').filter((pair) => pair.trim() !== '')
    const headers = pairs.map((pair) => /^\s*([!#$%&'*+.^_`|~\w-]+)=([\x21-\x7e ]*)$/.exec(pair))
    if (headers.includes(null)) {
      // The message doesn't quote the headers, which often contain a key.
      faults.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, separated by commas')
    }
    if (endpoint === undefined) return undefined
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
      fault('OTEL_EXPORTER_OTLP_ENDPOINT', 'the http:// or https:// URL of a collector, such as http://localhost:4318')
    }
    return {
      endpoint: endpoint.replace(/\/+$/, ''),
      headers: Object.fromEntries(headers.flatMap((found) => (found === null ? [] : [[found[1], found[2]?.trim()]]))),
      serviceName: given('OTEL_SERVICE_NAME') ?? 'gatehouse',
    }
  }

  function databases(): readonly string[] | undefined {
    const text = given('DATABASE_URL')
    if (text === undefined) return undefined
    // The message doesn't quote the URL, which may contain a password.
    const urls = databaseUrls(text)
    if (urls === undefined) {
      faults.push('DATABASE_URL must be postgres://user:password@host:port/name, with several hosts as h1:5432,h2:5432')
    }
    faults.push(...tlsFaults(new URL(urls?.[0] ?? 'postgres:').searchParams))
    if (given('SECRET_KEY') === undefined) {
      faults.push('SECRET_KEY is missing; DATABASE_URL requires it, with the same value on all nodes')
    }
    return urls
  }

  const trusted = given('TRUST_PROXY')
  const trustProxy = trusted === undefined ? undefined : parseTrustProxy(trusted)
  if (trusted !== undefined && trustProxy === undefined) {
    fault('TRUST_PROXY', 'a hop count such as 1, or addresses and ranges such as 10.0.0.0/8,::1')
  }
  const listenHost = ownHost('LISTEN_HOST')
  const controlListenHost = ownHost('CONTROL_LISTEN_HOST')
  const publicHost = (url: URL) => listenHost ?? loopbackOf(url) ?? '0.0.0.0'
  const controlHost = (url: URL) => controlListenHost ?? loopbackOf(url) ?? '127.0.0.1'

  const cataloguesDir = given('CATALOGUES_DIR')
  const config: Config = {
    base: surface('BASE', 'http://localhost:3000', publicHost),
    api: surface('API', 'http://localhost:3001', publicHost),
    portal: surface('PORTAL', 'http://localhost:3002', publicHost),
    control: surface('CONTROL', 'http://127.0.0.1:3003', controlHost),
    trustProxy,
    dataDir: resolve(given('DATA_DIR') ?? './data'),
    packagesDir: resolve(given('PACKAGES_DIR') ?? join(import.meta.dirname, '../../dist/packages')),
    cataloguesDir: cataloguesDir === undefined ? undefined : resolve(cataloguesDir),
    databaseUrls: databases(),
    operatorKey: key('OPERATOR_KEY'),
    secretKey: key('SECRET_KEY'),
    previousSecretKeys: keys('SECRET_KEY_PREVIOUS'),
    signUp: oneOf('SIGN_UP', ['open', 'closed'], 'open'),
    sendIss: oneOf('SEND_ISS', ['true', 'false'], 'false') === 'true',
    ownerFlows: oneOf('OWNER_FLOWS', ['on', 'off'], 'off') === 'on',
    smtp: smtp(),
    providers: readProviders({ given, fault, faults }),
    queueLimits: {
      maxEventsPerBot: integer('QUEUE_MAX_EVENTS_PER_BOT', 1, 1e12) ?? 100_000,
      maxBytesPerBot: integer('QUEUE_MAX_BYTES_PER_BOT', 1, 1e15) ?? 268_435_456,
      maxEvents: integer('QUEUE_MAX_EVENTS', 1, 1e12) ?? 2_000_000,
      maxBytes: integer('QUEUE_MAX_BYTES', 1, 1e15) ?? 4_294_967_296,
    },
    keepAliveSeconds: integer('KEEP_ALIVE_SECONDS', 1, 86_400) ?? 130,
    eventsAllowPrivate: oneOf('EVENTS_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
    tracing: tracing(),
    accessLog: oneOf('ACCESS_LOG', ['true', 'false'], 'false') === 'true',
  }
  // Compares ports only if all addresses are valid.
  if (faults.length === 0) faults.push(...portConflicts(config))
  return faults.length > 0 ? { faults, dataDir: config.dataDir } : { config: Object.freeze(config) }
}

/** Reads what systemd passes to a `Type=notify` unit. The keep-alive interval is a third of the watchdog timeout. */
export function readSystemdNotifications(env = process.env): { watchdogMs: number | undefined } | undefined {
  if (env.NOTIFY_SOCKET === undefined) return undefined
  const timeoutMs = Number(env.WATCHDOG_USEC) / 1_000
  return { watchdogMs: timeoutMs > 0 ? timeoutMs / 3 : undefined }
}

const hostName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,252}[A-Za-z0-9])?$/

const mailSender = /^[^<>\p{Cc}]*<[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+>$|^[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+$/u

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const plain = (pathname === '' || pathname === '/') && search === '' && hash === ''
  return plain && hostname !== '' && (protocol === 'smtp:' || protocol === 'smtps:')
}

function parseTrustProxy(text: string): number | string[] | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const ranges = text.split(',').map((range) => range.trim())
  return ranges.every(isRange) ? ranges : undefined
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  // `/0` would trust every client, and a client could then forge its address.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
