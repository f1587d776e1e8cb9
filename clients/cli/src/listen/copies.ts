import { setTimeout as wait } from 'node:timers/promises'
import { backOffMs } from '../../../typescript/src/back-off.ts'
import { answerWithinMs, explainUnreachable } from '../request.ts'
import type { ShownEvent, ShownRefusal } from './format-event.ts'

interface CopySource {
  /** URL of the gateway. */
  gateway: URL
  key: string
  bot: string
  agent: string
}

/** A line of the stream. It has one of the members. A newer service may send others. */
interface CopyLine {
  hosting?: boolean
  delivery?: Omit<ShownEvent, 'acceptedAt' | 'attempt' | 'body'> & { acceptedAt: string; body: string }
  refused?: ShownRefusal
  /** Why there is no connection. Not sent by the service. */
  lost?: { why: string; retryInMs: number }
}

/** Thrown for a response that would be the same after a reconnect. */
export class CopiesRefused extends Error {
  readonly code: number

  constructor(status: number, detail: string) {
    super(detail)
    this.code = status
  }
}

/**
 * Reads copies of a bot's webhooks from the API for owners. Reconnects until the signal is aborted.
 *
 * @throws CopiesRefused
 */
export async function* readCopies(source: CopySource, signal: AbortSignal): AsyncGenerator<CopyLine> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    let why = 'the service closed the connection'
    const at = { url: source.gateway }
    try {
      for await (const line of connected(source, at, signal)) {
        failures = 0
        yield line
      }
    } catch (error) {
      if (error instanceof CopiesRefused && error.code < 500 && error.code !== 429) throw error
      why = error instanceof CopiesRefused ? error.message : explainUnreachable(error as Error, at.url)
    }
    if (signal.aborted) return
    const retryInMs = backOffMs(failures)
    yield { lost: { why, retryInMs } }
    await wait(retryInMs, undefined, { signal }).catch(() => {})
  }
}

/**
 * One connection. It counts as lost if nothing arrives for {@link answerWithinMs} while a line is awaited.
 *
 * @param at set to the URL to which the connection is, first the gateway's.
 */
async function* connected(
  { gateway, key, bot, agent }: CopySource,
  at: { url: URL },
  signal: AbortSignal,
): AsyncGenerator<CopyLine> {
  const late = new AbortController()
  const init = { signal: AbortSignal.any([signal, late.signal]), redirect: 'error' } as const
  const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
    const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), answerWithinMs)
    return work.finally(() => clearTimeout(timer))
  }
  // The gateway's OpenAPI description names the URL at which the service has its APIs.
  const description = await inTime(fetch(new URL('openapi.json', gateway), init))
  const { servers } = await inTime(bodyOf<{ servers?: { url: string }[] }>(description))
  if (!servers?.[0]) throw new CopiesRefused(description.status, `${gateway.origin} is not the gateway of a Gatehouse`)
  at.url = new URL(`${servers[0].url}/api/v1/bots/${encodeURIComponent(bot)}/copies`)
  const headers = { 'user-agent': agent, authorization: `Bearer ${key}` }
  const response = await inTime(fetch(at.url, { ...init, headers }))
  if (!response.ok) await bodyOf(response)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  for (let rest = ''; ; ) {
    const { done, value } = await inTime(reader.read())
    if (done) return
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.map((line) => JSON.parse(line) as CopyLine)
  }
}

/** @throws CopiesRefused for an error. */
async function bodyOf<Body>(response: Response): Promise<Body> {
  const body = (await response.json().catch(() => ({}))) as Body & { detail?: string }
  if (response.ok) return body
  throw new CopiesRefused(response.status, body.detail ?? `${response.url} responded ${response.status}`)
}
