import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import type { TestContext } from 'node:test'
import { freshEnvironment } from './gatehouse-process.ts'
import { listening } from './local-server.ts'

export type Headers = IncomingMessage['headers']

/** Starts a proxy for each public URL. Returns settings for a service behind these proxies. */
export async function behindProxies(
  t: TestContext,
  rewrite: (headers: Headers, peer: string) => Headers,
  {
    upgrades = true,
    beforeEach = async () => {},
  }: { upgrades?: boolean; beforeEach?: (port: string) => Promise<unknown> } = {},
): Promise<Record<string, string>> {
  const env = await freshEnvironment(t)
  mkdirSync(env.DATA_DIR, { mode: 0o700 })
  for (const name of ['BASE', 'API', 'PORTAL']) {
    const { port } = new URL(env[`${name}_URL`] as string)
    const proxy = createServer(async (incoming, response) => {
      await beforeEach(port)
      const { connection, upgrade, ...passedOn } = incoming.headers
      const headers = rewrite(passedOn, '127.0.0.1')
      const passed = request({ port, host: '127.0.0.1', path: incoming.url, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      passed.on('error', () => response.writeHead(502).end())
      passed.end()
    })
    if (upgrades) {
      proxy.on('upgrade', (incoming, socket) => {
        const headers = { ...rewrite(incoming.headers, '127.0.0.1'), connection: 'Upgrade', upgrade: 'websocket' }
        const passed = request({ port, host: '127.0.0.1', path: incoming.url, headers, agent: false })
        passed.on('upgrade', () =>
          socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
        )
        passed.on('error', () => socket.destroy())
        passed.end()
      })
    }
    env[`${name}_URL`] = await atLocalhost(t, proxy)
    env[`${name}_PORT`] = port
  }
  return env
}

/** Starts a server in place of a proxy and returns its URL. */
export function inFrontOf(t: TestContext, answer: RequestListener): Promise<string> {
  return atLocalhost(t, createServer(answer))
}

async function atLocalhost(t: TestContext, proxy: Server): Promise<string> {
  return (await listening(t, proxy)).replace('127.0.0.1', 'localhost')
}
