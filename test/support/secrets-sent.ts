import assert from 'node:assert/strict'
import { hidden } from '../../src/commands/log.ts'

/** Fields that carry a secret, in forms and in JSON. */
const secretFields = new Set(
  'password password_again current_password pin pin_again form_token client_secret code code_verifier token refresh_token state key secret'.split(
    ' ',
  ),
)
/** Minimum length of a recorded secret. Shorter values would appear by chance, for example in a time or a port. */
const minCharacters = 10

const sent = new Set<string>()

/** Starts recording secrets in what this process's tests send with `fetch`. */
function watch(): void {
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
    if (URL.canParse(String(input))) noteFields(new URL(String(input)).searchParams)
    noteHeaders(new Headers(init?.headers))
    noteFields(fieldsOf(init?.body))
    return fetch(input, init)
  }
}
watch()

function noteHeaders(headers: Headers): void {
  const authorization = headers.get('authorization') ?? ''
  note(/^\w+ +(\S+)$/.exec(authorization)?.[1])
  note(headers.get('svc-key'))
  for (const pair of headers.get('cookie')?.split('; ') ?? []) {
    // The language and theme cookies are not secret.
    if (/-(session|browser|device|sign-in)=/.test(pair)) note(pair.slice(pair.indexOf('=') + 1))
  }
}

function fieldsOf(body: unknown): Iterable<readonly [string, unknown]> {
  if (body instanceof URLSearchParams) return body
  if (typeof body !== 'string') return []
  try {
    const json: unknown = JSON.parse(body)
    return typeof json === 'object' && json !== null ? Object.entries(json) : []
  } catch {
    return new URLSearchParams(body)
  }
}

function noteFields(fields: Iterable<readonly [string, unknown]>): void {
  for (const [name, value] of fields) if (secretFields.has(name)) note(value)
}

function note(value: unknown): void {
  if (typeof value === 'string' && value.length >= minCharacters) sent.add(value)
}

/** Records a secret that is not sent in one of these places. Returns it. */
export function noteSecret(clearText: string): string {
  sent.add(clearText)
  return clearText
}

/** PKCE verifiers and form tokens look like this. Secrets that start with `svc_` are hidden by the logger. */
const randomText = /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43}(?![\w-])/

/**
 * Forgets the recorded secrets, so that they don't accumulate over the many tests of a process. Called once no open
 * world could still log them.
 */
export function forgetSecretsSent(): void {
  sent.clear()
}

/**
 * Fails if a line of this log contains a recorded secret, either plain or encoded as in a URL or JSON, or something that
 * looks like a secret of the service. The marker that the logger puts in place of a secret fails the test as well: secrets must not be passed to the logger at all.
 */
export function assertNoSecretIn(log: string): void {
  const spellings = [...sent].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ])
  const told = spellings.filter((spelling) => log.includes(spelling))
  const lines = log
    .split('\n')
    .filter(
      (line) => line.includes(hidden) || randomText.test(line) || told.some((spelling) => line.includes(spelling)),
    )
  assert.deepEqual(lines.slice(0, 3), [], 'the log tells secrets that were sent, or hides one')
}
