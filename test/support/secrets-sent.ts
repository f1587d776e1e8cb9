import assert from 'node:assert/strict'
import { hidden } from '../../src/commands/log.ts'

/** Fields that carry a secret, in forms and in JSON. */
const secretFields = new Set(
  'password password_again current_password pin pin_again form_token client_secret code code_verifier token refresh_token state key secret'.split(
    ' ',
  ),
)
/** Shorter ones would be found by chance, in a time or a port say. */
const minCharacters = 10

const sent = new Set<string>()

/** From here on, what any test of this process sends by `fetch` in a secret's place is known as a secret. */
function watch(): void {
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
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
    // Those for language and theme are no secrets.
    if (/-(session|browser|sign-in)=/.test(pair)) note(pair.slice(pair.indexOf('=') + 1))
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

/** For when nothing is left whose log could tell what was sent: a process runs many tests, one after the other. */
export function forgetSecretsSent(): void {
  sent.clear()
}

/**
 * Fails when a line of this log holds a secret that was sent so far, as it is or as an address or JSON spells it, or a
 * mark of one that the log hid in the last moment: it must not be handed to the log at all.
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
    .filter((line) => line.includes(hidden) || told.some((spelling) => line.includes(spelling)))
  assert.deepEqual(lines.slice(0, 3), [], 'the log tells secrets that were sent, or hides one')
}
