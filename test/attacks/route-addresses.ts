import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const surfaces = join(import.meta.dirname, '../../src/surfaces')

/**
 * The addresses of pages, as the routes of the surfaces name them (`/bots/:botId/flows`). Read from the source, so that
 * a route made tomorrow is attacked tomorrow.
 */
export function pageAddresses(place: 'base' | 'portal'): string[] {
  const files = globSync('**/*routes.ts', { cwd: surfaces }).filter(
    (file) => file.startsWith('portal/') === (place === 'portal') && !/^(provisioning|telemetry)\//.test(file),
  )
  const addresses = files.flatMap((file) =>
    [...readFileSync(join(surfaces, file), 'utf8').matchAll(/[('`]((?:\/[\w:.${}-]*)+)['`]/g)].map(
      ([, address = '']) => address,
    ),
  )
  return [...new Set(addresses)].sort()
}

/** The address with its parameters filled in; those that nobody gave a value stand for themselves. */
export function fillIn(address: string, values: Readonly<Record<string, string>>): string {
  return address
    .replaceAll(/\$\{\w+\}/g, 'en')
    .replaceAll(/:(\w+)|\{(\w+)\}/g, (_all, one?: string, other?: string) => {
      const name = one ?? other ?? ''
      return values[name] ?? name
    })
}
