import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { OAuthServer } from '../oauth-server.ts'
import { startServer, stop } from '../processes.ts'
import type { Peer } from './peer.ts'

const onDisk = 'everything: each statement is synced to disk'

interface PeerDescription extends Pick<OAuthServer, 'client' | 'redirectUri' | 'verifier' | 'paths'> {
  scopes: Record<'userinfo' | 'grant', string>
}

export function npmPeers(): Peer[] {
  const installation = openInstallation()
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

function startPeer({ folder }: Installation, file: string, port: number, env: NodeJS.ProcessEnv) {
  return startServer(join(folder, file), { NODE_ENV: 'production', PORT: String(port), ...env })
}

function present({ folder, missing }: Installation, ...packages: string[]): ReturnType<Peer['present']> {
  if (missing !== undefined) return { missing }
  const versions = packages.map((name) => {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    return `${name} ${(JSON.parse(manifest) as { version: string }).version}`
  })
  return { version: versions.join(', ') }
}

/** The folder of the installed npm peers, and why some are missing. */
interface Installation {
  folder: string
  missing: string | undefined
}

/** Installs the peers once per set of versions, in the user's cache, outside the repository and its checks. */
function openInstallation(): Installation {
  const pinned = readFileSync(join(import.meta.dirname, 'packages.json'))
  const name = createHash('sha256').update(pinned).update(process.version).digest('hex').slice(0, 12)
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'gatehouse-bench', name)
  const missing = existsSync(folder) ? undefined : install(folder)
  if (missing !== undefined) return { folder, missing }
  // Copies the servers next to the packages, so that imports resolve to the peers' packages and not to ours.
  const servers = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.server.mjs'))
  for (const file of servers) copyFileSync(join(import.meta.dirname, file), join(folder, file))
  return { folder, missing }
}

function install(folder: string): string | undefined {
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  copyFileSync(join(import.meta.dirname, 'packages.json'), join(temporary, 'package.json'))
  console.log(`Installing peers in ${folder} …`)
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']
  const { status, stderr, error } = spawnSync('npm', words, { cwd: temporary, encoding: 'utf8', timeout: 300_000 })
  if (status === 0) {
    renameSync(temporary, folder)
    return undefined
  }
  rmSync(temporary, { recursive: true, force: true })
  const firstError = stderr.split('\n').find((line) => line.startsWith('npm error'))
  return `npm install failed: ${error?.message ?? firstError ?? stderr.trim()}`
}
