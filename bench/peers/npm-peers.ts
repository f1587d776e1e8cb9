import { join } from 'node:path'
import type { OAuthServer } from '../oauth-server.ts'
import { startServer, stop } from '../processes.ts'
import { Installation } from './installation.ts'
import type { Peer } from './peer.ts'

const onDisk = 'everything: each statement is synced to disk'

/** What a server of this folder says of itself, to be called as its client. */
interface Introduction extends Pick<OAuthServer, 'client' | 'redirectUri' | 'verifier' | 'paths'> {
  scopes: Record<'userinfo' | 'grant', string>
}

export const npmPeers: Peer[] = [
  oauthPeer({
    name: 'oidc-provider, in memory',
    package: 'oidc-provider',
    keeps: 'nothing: all tokens end with the process',
    port: 13_120,
    onceEach: 3_000,
    env: () => ({}),
  }),
  oauthPeer({ name: 'oidc-provider, SQLite', package: 'oidc-provider', keeps: onDisk, port: 13_121, onceEach: 1_500 }),
  oauthPeer({ name: 'better-auth, SQLite', package: 'better-auth', keeps: onDisk, port: 13_122, onceEach: 500 }),
  inbox('better-sqlite3', 13_123),
  inbox('node:sqlite', 13_124),
]

function oauthPeer(peer: {
  name: string
  package: string
  keeps: string
  port: number
  onceEach: number
  env?: (folder: string) => NodeJS.ProcessEnv
}): Peer {
  const { name, keeps, port, onceEach, env = (folder) => ({ DATABASE: join(folder, 'peer.sqlite') }) } = peer
  return {
    name,
    keeps,
    present: () => present(peer.package),
    async start(folder) {
      const server = await startPeer(`${peer.package}.server.mjs`, port, env(folder))
      const origin = new URL(`http://127.0.0.1:${port}`)
      try {
        const introduction = (await (await fetch(new URL('/bench', origin))).json()) as Introduction
        const codes = async (count: number, of: 'userinfo' | 'grant') => {
          const query = new URLSearchParams({ count: String(count), scope: introduction.scopes[of] })
          return (await (await fetch(new URL(`/bench/codes?${query}`, origin))).json()) as string[]
        }
        return { server, target: { oauth: { ...introduction, origin, onceEach, codes } } }
      } catch (error) {
        await stop(server)
        throw error
      }
    },
  }
}

function inbox(driver: 'better-sqlite3' | 'node:sqlite', port: number): Peer {
  return {
    name: `Fastify inbox, ${driver}`,
    keeps: onDisk,
    present: () => present('fastify'),
    async start(folder) {
      const env = { DRIVER: driver, DATABASE: join(folder, 'inbox.sqlite') }
      const server = await startPeer('fastify-inbox.server.mjs', port, env)
      const url = new URL(`http://127.0.0.1:${port}/bot-bench/hook`)
      return { server, target: { webhooks: { url, status: '202' } } }
    },
  }
}

function startPeer(file: string, port: number, env: NodeJS.ProcessEnv) {
  return startServer(Installation.open().server(file), { NODE_ENV: 'production', PORT: String(port), ...env })
}

function present(packageName: string): { version: string } | { missing: string } {
  try {
    return { version: Installation.open().version(packageName) }
  } catch (error) {
    return { missing: (error as Error).message }
  }
}
