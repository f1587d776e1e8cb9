import type { LoadOrder } from './load.ts'
import { type OAuthServer, redeemBody, refreshBody, tokens } from './oauth-server.ts'
import { botIdOf, statusBots, webhookBots } from './setting.ts'

export interface Target {
  oauth?: OAuthServer
  /** URL to which webhooks are sent, and the status code of the response to an accepted webhook. */
  webhooks?: { url: URL; status: string }
  botStatus?: URL
}

/** Instructions for the load generator, except for the number of connections. */
type WorkOrder = Pick<LoadOrder, 'requests' | 'until' | 'chain'> & { origin: URL }

/** A workload: one kind of call, made in the same way to every server that supports it. */
export interface Work {
  name: string
  connections: number
  /** Prepares the load of one round. Returns `undefined` if the server does not support the call. */
  order(target: Target, duration: { afterMs: number }): Promise<WorkOrder | undefined>
  status(target: Target): string
}

const formType = 'application/x-www-form-urlencoded'

export const userinfo = oauthWork('userinfo', 64, async (server, duration) => {
  const each = await tokens(server, 64, 'userinfo')
  const requests = each.map((token) => get(server.paths.userinfo, `Authorization: Bearer ${token.access_token}\r\n`))
  return { until: duration, requests }
})

export const refresh = oauthWork('refresh', 32, async (server, duration) => {
  const each = await tokens(server, 32, 'grant')
  const request = (token: string) => post(server.paths.token, formType, String(refreshBody(server, token)))
  const template = request('TOKEN')
    .replace(/Content-Length: \d+/, 'Content-Length: {length}')
    .replace('TOKEN', '{}')
  const requests = each.map((token) => request(token.refresh_token))
  return { until: duration, requests, chain: { member: 'refresh_token', template } }
})

export const redeem = oauthWork('redeem', 32, async (server) => {
  const codes = await server.codes(server.singleUseCount, 'grant')
  const requests = codes.map((code) => post(server.paths.token, formType, String(redeemBody(server, code))))
  return { until: 'all-sent', requests }
})

/** Sends no client credentials, which the specification allows. */
export const revoke = revocation('revoke', () => ({}))

/** Sends client credentials. Peers require them, so comparisons use them for Gatehouse too. */
export const revokeAsClient = revocation('revoke, by the client', ({ client }) => client)

function revocation(name: string, credentials: (server: OAuthServer) => Record<string, string>): Work {
  return oauthWork(name, 32, async (server) => {
    const each = await tokens(server, server.singleUseCount, 'grant')
    const body = (token: string) => String(new URLSearchParams({ token, ...credentials(server) }))
    const requests = each.map((token) => post(server.paths.revoke, formType, body(token.access_token)))
    return { until: 'all-sent', requests }
  })
}

export function webhookAccept(connections: number): Work {
  return webhookWork('webhook accept, 256 B, durable', connections, ({ pathname }) => [pathname])
}

/** Only Gatehouse has these bots. Each request is for the next bot. */
export const webhooksOfManyBots = webhookWork(`webhook accept, ${webhookBots} bots`, 256, () =>
  Array.from({ length: webhookBots }, (_, number) => `/${botIdOf(number)}/hook`),
)

function webhookWork(name: string, connections: number, pathsOf: (url: URL) => string[]): Work {
  return {
    name,
    connections,
    async order({ webhooks }, duration) {
      if (webhooks === undefined) return undefined
      const requests = pathsOf(webhooks.url).map((path) => post(path, 'application/json', 'x'.repeat(256)))
      return { origin: new URL(webhooks.url.origin), until: duration, requests }
    },
    status: ({ webhooks }) => webhooks?.status ?? '202',
  }
}

export const botStatus: Work = {
  name: `bot status, ${statusBots.toLocaleString('en')} bots`,
  connections: 64,
  async order({ botStatus }, duration) {
    if (botStatus === undefined) return undefined
    // Each request has its own client address, so that no address exceeds the limit of 60 requests per minute.
    const requests = Array.from({ length: 50_000 }, (_, index) => {
      const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
      return get(`/botstatus/${botIdOf(index % statusBots)}/api`, `X-Forwarded-For: ${address}\r\n`)
    })
    return { origin: botStatus, until: duration, requests }
  },
  status: () => '200',
}

function oauthWork(
  name: string,
  connections: number,
  order: (server: OAuthServer, duration: { afterMs: number }) => Promise<Omit<WorkOrder, 'origin'>>,
): Work {
  return {
    name,
    connections,
    async order({ oauth }, duration) {
      return oauth === undefined ? undefined : { origin: oauth.origin, ...(await order(oauth, duration)) }
    },
    status: () => '200',
  }
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`
}

function post(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
