import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePorts } from '../support/free-ports.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const configuration = readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8')
const urlOfPort: Record<string, string> = { 3000: 'BASE_URL', 3001: 'API_URL', 3002: 'PORTAL_URL', 3003: 'CONTROL_URL' }

/** Starts HAProxy with `deploy/haproxy.cfg` in front of these nodes. Returns the URL of the gateway. */
export async function startHaproxy(t: TestContext, nodes: readonly Record<string, string>[]): Promise<string> {
  const ports = await freePorts(4)
  const portOf = (node: Record<string, string>, own: string) => new URL(node[urlOfPort[own] as string] as string).port
  const text = configuration
    .replace(/^resolvers docker\n(?: .*\n)*/m, '')
    .replace(' resolvers docker init-addr none', '')
    .replace('maxconn 50000', 'maxconn 1000')
    .replace(/bind :300(\d)/g, (_, digit) => `bind 127.0.0.1:${ports[digit]}`)
    .replace(/^ {2}server (node-(\w)) node-\w:(\d+)\n/gm, (_, name, letter, own) => {
      const node = nodes['abc'.indexOf(letter)]
      return node ? `  server ${name} 127.0.0.1:${portOf(node, own)} port ${portOf(node, '3003')}\n` : ''
    })
  const folder = temporaryFolder(t)
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  startProgram(t, ['haproxy', '-db', '-f', file], {})
  return `http://127.0.0.1:${ports[1]}`
}
