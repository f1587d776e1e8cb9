import { join } from 'node:path'
import type { OAuthServer } from '../oauth-server.ts'
import { startServer, stop } from '../processes.ts'
import type { Installation } from './installation.ts'
import type { Peer } from './peer.ts'

const onDisk = 'everything: each statement is synced to disk'

interface PeerDescription extends Pick<OAuthServer, 'client' | 'redirectUri' | 'verifier' | 'paths'> {
  scopes: Record<'userinfo' | 'grant', string>
}

export function npmPeers(installation: Installation): Peer[] {
  return [
    oauthPeer(installation, {
      name: 'oidc-provider, in memory',
      package: 'oidc-provider',
      keeps: 'nothing: all tokens end with the process',
      singleUseCount: 3_000,
      env: () => ({}),
    }),
    oauthPeer(installation, {
      name: 'oidc-provider, SQLite',
      package: 'oidc-provider',
      keeps: onDisk,
      singleUseCount: 1_500,
    }),
    oauthPeer(installation, {
      name: 'better-auth, SQLite',
      package: 'better-auth',
      keeps: onDisk,
      singleUseCount: 500,
    }),
    inbox(installation, 'better-sqlite3'),
    inbox(installation, 'node:sqlite'),
  ]
}

interface OAuthPeer {
  name: string
  package: string
  keeps: string
  singleUseCount: number
  env?: (folder: string) => NodeJS.ProcessEnv
}

function oauthPeer(installation: Installation, peer: OAuthPeer): Peer {
  const { name, keeps, singleUseCount, env = (folder) => ({ DATABASE: join(folder, 'peer.sqlite') }) } = peer
  return {
    name,
    keeps,
    present: () => present(installation, peer.package),
    async start(folder, port) {
      const server = await startPeer(installation, `${peer.package}.server.mjs`, port, env(folder))
      const origin = new URL(`http://127.0.0.1:${port}`)
      try {
        const description = (await (await fetch(new URL('/bench', origin))).json()) as PeerDescription
        const codes = async (count: number, of: 'userinfo' | 'grant') => {
          const query = new URLSearchParams({ count: String(count), scope: description.scopes[of] })
          return (await (await fetch(new URL(`/bench/codes?${query}`, origin))).json()) as string[]
        }
        return { server, target: { oauth: { ...description, origin, singleUseCount, codes } } }
      } catch (error) {
        await stop(server)
        throw error
      }
    },
  }
}

function inbox(installation: Installation, driver: 'better-sqlite3' | 'node:sqlite'): Peer {
  return {
    name: `Fastify inbox, ${driver}`,
    keeps: onDisk,
    present: () => present(installation, 'fastify', ...(driver === 'better-sqlite3' ? [driver] : [])),
    async start(folder, port) {
      const env = { DRIVER: driver, DATABASE: join(folder, 'inbox.sqlite') }
      const server = await startPeer(installation, 'fastify-inbox.server.mjs', port, env)
      const url = new URL(`http://127.0.0.1:${port}/bot-bench/hook`)
      return { server, target: { webhooks: { url, status: '202' } } }
    },
  }
}

function startPeer(installation: Installation, file: string, port: number, env: NodeJS.ProcessEnv) {
  return startServer(installation.server(file), { NODE_ENV: 'production', PORT: String(port), ...env })
}

function present(installation: Installation, ...packages: string[]): ReturnType<Peer['present']> {
  const { missing } = installation
  if (missing !== undefined) return { missing }
  return { version: packages.map((name) => `${name} ${installation.version(name)}`).join(', ') }
}
