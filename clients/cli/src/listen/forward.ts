import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { exitCodes, StartFault } from '../../../../src/commands/start-fault.ts'
import type { ListenOptions } from '../command-line.ts'

interface ForwardTargets {
  /** Returns the URL to which webhooks with this path are forwarded. Returns `undefined` if they are only printed. */
  of(path: string): URL | undefined
  /** Describes the targets in the first line of the output. */
  description: string
}

/**
 * Reads `--forward` and each `--path`.
 *
 * @throws StartFault if a value is invalid.
 */
export function forwardTargets({ forward, paths }: Pick<ListenOptions, 'forward' | 'paths'>): ForwardTargets {
  const all = forward === undefined ? undefined : webUrl(forward)
  if (forward !== undefined && all === undefined) {
    fault(`--forward must be a URL such as http://localhost:8080/hook; got ${JSON.stringify(forward)}`)
  }
  const byPath = new Map(paths.map((pair) => pathTarget(pair, all)))
  const targets = [...byPath].map(([path, to]) => `/${path} to ${to.href}`)
  if (all !== undefined) targets.push(targets.length === 0 ? all.href : `others to ${all.href}`)
  return {
    of: (path) => byPath.get(path) ?? all,
    description:
      targets.length === 0
        ? ''
        : `, forwarding ${forward !== undefined && byPath.size === 0 ? 'to ' : ''}${targets.join(', ')}`,
  }
}

function pathTarget(pair: string, all: URL | undefined): [string, URL] {
  const [, path, to = ''] = /^\/?([^=]+)=(.+)$/.exec(pair) ?? []
  const target = to.startsWith('/') && all !== undefined ? new URL(to, all) : webUrl(to)
  if (path !== undefined && target !== undefined) return [path, target]
  return fault(
    `--path must be a webhook path, = and a URL, such as orders=http://localhost:8080/orders; got ${JSON.stringify(pair)}`,
  )
}

function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined
}

function fault(message: string): never {
  throw new StartFault(exitCodes.usage, [message])
}

/** Maximum time for forwarding one event. Long enough for a short pause in a debugger. */
const forwardWithinMs = 60_000

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
    if (deadline.aborted) return { kind: 'unanswered', why: `no response from ${to.origin} within 60 s` }
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
