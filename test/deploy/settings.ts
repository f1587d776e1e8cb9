import assert from 'node:assert/strict'
import { type Config, readConfig } from '../../src/config/config.ts'

/** The names of all variables that the service reads. */
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

/** What Node, or the system it runs on, reads itself. */
const ofNode = new Set(['MALLOC_MMAP_THRESHOLD_', 'NODE_COMPILE_CACHE', 'NODE_ENV'])

/** Reads settings as the service does at its start. Fails where a name is none of its, or a value can't be used. */
export function settingsOf(env: Readonly<Record<string, string>>): Config {
  const known = variablesRead()
  for (const name of Object.keys(env)) assert.ok(known.has(name) || ofNode.has(name), `${name} is no setting`)
  const reading = readConfig(env)
  assert.ok('config' in reading, JSON.stringify(reading))
  return reading.config
}

/** The ports that are bound with these settings, by surface. */
export function portsOf({ base, api, portal, control }: Config): Record<string, number> {
  return { base: base.port, api: api.port, portal: portal.port, control: control.port }
}
