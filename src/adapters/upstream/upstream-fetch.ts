import { upstreamAnswerMaxBytes } from '../../domain/limits/limits.ts'

/** Thrown when a provider doesn't respond, responds too late, or responds with a server error. */
export class ProviderUnreachable extends Error {}

/** Thrown when the body of a response exceeds {@link upstreamAnswerMaxBytes}. */
export class ResponseTooLarge extends Error {}

/**
 * `fetch` for requests to providers. Reads the whole response within the deadline set by the caller's signal, and up to
 * {@link upstreamAnswerMaxBytes}.
 *
 * @throws ProviderUnreachable, ResponseTooLarge.
 */
export async function upstreamFetch(url: string, options: object): Promise<Response> {
  const { response, body } = await readWhole(url, options)
  if (response.status >= 500) throw new ProviderUnreachable(`status ${response.status}`)
  const bodyless = response.status === 204 || response.status === 205 || response.status === 304
  return new Response(bodyless ? null : body, { status: response.status, headers: response.headers })
}

async function readWhole(url: string, options: object) {
  try {
    const response = await fetch(url, options)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > upstreamAnswerMaxBytes) throw new ResponseTooLarge()
      chunks.push(chunk)
    }
    return { response, body: Buffer.concat(chunks) }
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error
    throw new ProviderUnreachable('no response', { cause: error })
  }
}
