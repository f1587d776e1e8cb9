import { failed } from '../../../src/commands/start-fault.ts'

export interface Answer {
  status: number
  statusText: string
  headers: Headers
  /** The first 64 KiB of the body. */
  body: string
  tookMs: number
}

/** Maximum time without a byte from the service. */
export const answerWithinMs = 40_000
const bodyMaxBytes = 65_536

/**
 * Sends a request and reads the response.
 *
 * @throws StartFault if no response arrives, with the cause.
 */
export async function request(url: string, init: RequestInit): Promise<Answer> {
  const startedAtMs = performance.now()
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerWithinMs) })
    const { status, statusText, headers } = response
    const body = await firstBytes(response)
    return { status, statusText, headers, body, tookMs: performance.now() - startedAtMs }
  } catch (error) {
    throw failed(explainUnreachable(error as Error, new URL(url)), error)
  }
}

async function firstBytes(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= bodyMaxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, bodyMaxBytes).toString('utf8')
}

/** Explains why the request got no response. */
export function explainUnreachable(error: Error, { origin, hostname }: URL): string {
  if (error.name === 'TimeoutError') return `no response from ${origin} within ${answerWithinMs / 1_000} s`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${origin}; check the URL`
    case 'ENOTFOUND':
      return `unknown host ${hostname}; check the URL`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${origin} responds without TLS; check that the URL needs https://`
    default:
      return `${origin} can't be reached (${(message || code || '').trim()})`
  }
}
