import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** Maximum time for forwarding one event. Long enough for a short pause in a debugger. */
export const forwardWithinMs = 60_000

export type Forwarding =
  | { kind: 'answered'; status: number }
  /** `why` is shown to the developer and, with `--take`, to the bot's owner. */
  | { kind: 'unanswered'; why: string }

/** Posts the body with its headers, adding only the headers that HTTP requires. */
export async function forward(
  to: URL,
  { body, headers }: { body: Uint8Array; headers: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<Forwarding> {
  const request = to.protocol === 'https:' ? requestHttps : requestHttp
  const deadline = AbortSignal.timeout(forwardWithinMs)
  try {
    const sent = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined)
    const outgoing = request(to, {
      method: 'POST',
      headers: { ...Object.fromEntries(sent), 'content-length': body.length },
      signal: AbortSignal.any([signal, deadline]),
      agent: false,
    })
    const answer = once(outgoing, 'response')
    outgoing.end(body)
    const [response] = (await answer) as [IncomingMessage]
    response.on('error', () => {})
    response.resume()
    return { kind: 'answered', status: response.statusCode as number }
  } catch (error) {
    if (signal.aborted) return { kind: 'unanswered', why: 'canceled' }
    if (deadline.aborted) return { kind: 'unanswered', why: `no response from ${to.href} within 60 s` }
    return { kind: 'unanswered', why: explain(error as NodeJS.ErrnoException, to) }
  }
}

function explain(error: NodeJS.ErrnoException, to: URL): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${to.origin}; start your server`
    case 'ENOTFOUND':
      return `unknown host ${to.hostname}; check --forward`
    case 'ECONNRESET':
      return `${to.origin} closed the connection without a response`
    default:
      return `${to.origin} can't be reached (${error.message})`
  }
}
