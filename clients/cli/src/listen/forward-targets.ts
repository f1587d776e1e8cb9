import { exitCodes, StartFault } from '../../../../src/commands/start-fault.ts'
import type { ListenOptions } from '../command-line.ts'

export interface ForwardTargets {
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
