import assert from 'node:assert/strict'
import { type Config, readConfig } from '../../src/config/config.ts'

/** Returns the names of all variables that readConfig reads, as recorded by a `Proxy` object. */
export function variablesRead(): Set<string> {
  const names = new Set<string>()
  readConfig(
    new Proxy({} as Record<string, string | undefined>, {
      get(_, name) {
        names.add(String(name))
        return undefined
      },
    }),
  )
  return names
}

/** Variables that are read by Node or the operating system. */
const ofNode = new Set(['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'NODE_COMPILE_CACHE', 'NODE_ENV'])

/** Parses settings as the service does at startup. Throws on unknown names and invalid values. */
export function settingsOf(env: Readonly<Record<string, string>>): Config {
  const known = variablesRead()
  for (const name of Object.keys(env)) assert.ok(known.has(name) || ofNode.has(name), `${name} is not a setting`)
  const reading = readConfig(env)
  assert.ok('config' in reading, JSON.stringify(reading))
  return reading.config
}

export function portsOf({ base, api, portal, control }: Config): Record<string, number> {
  return { base: base.port, api: api.port, portal: portal.port, control: control.port }
}
