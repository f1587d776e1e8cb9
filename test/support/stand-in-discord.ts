import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { listening } from './local-server.ts'

/** Operation codes of Discord's gateway. */
const op = { dispatch: 0, heartbeat: 1, identify: 2, presence: 3, resume: 6, hello: 10, heartbeatAck: 11 }

const user = { id: '101', username: 'harbor', discriminator: '0', global_name: null, avatar: null, bot: true }
const application = {
  id: '101',
  name: 'harbor',
  icon: null,
  description: '',
  flags: 0,
  verify_key: '',
  owner: user,
  bot_public: false,
  bot_require_code_grant: false,
}
/** With the members that the libraries need. */
const guild = {
  id: '201',
  name: 'Harbor office',
  roles: [{ id: '201', name: '@everyone', permissions: '0', position: 0, color: 0 }],
  members: [{ user, roles: [], joined_at: '2026-01-01T00:00:00Z', deaf: false, mute: false, flags: 0 }],
  channels: [{ id: '301', type: 0, name: 'deploys', position: 0, permission_overwrites: [] }],
}

/**
 * Opens the part of Discord that the bots of examples and tests use: sign-in, gateway, and posting a message. It is
 * written from Discord's documentation, so it shows that the libraries and the examples fit together, not that Discord
 * accepts them.
 */
export async function openStandInDiscord(t: TestContext) {
  /** Messages posted, with the ID of their channel. */
  const posted: { channelId: string; content: string; allowedMentions: object }[] = []
  /** Presences that the bot has set, oldest first. */
  const presences: string[] = []
  /** Connections to the gateway, by shard. */
  const shards = new Map<number, WebSocket>()
  let isAway = false
  /** Greets the connections that were opened while Discord was away. */
  const greetings: (() => void)[] = []

  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await answer(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const url = await listening(t, server)
  const gatewayUrl = url.replace('http:', 'ws:')

  async function answer(request: IncomingMessage): Promise<object> {
    const path = request.url?.replace(/^.*\/v10/, '') ?? ''
    if (path === '/users/@me') return user
    if (path === '/oauth2/applications/@me') return application
    if (path === '/gateway/bot') {
      const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 2 }
      return { url: gatewayUrl, shards: 1, session_start_limit: limit }
    }
    const channelId = /^\/channels\/(\d+)\/messages$/.exec(path)?.[1] ?? ''
    const { content, allowed_mentions: allowedMentions } = JSON.parse(await text(request))
    posted.push({ channelId, content, allowedMentions })
    const absent = { attachments: [], embeds: [], mentions: [], mention_roles: [], components: [] }
    const times = { timestamp: '2026-01-01T00:00:00Z', edited_timestamp: null }
    const flags = { tts: false, mention_everyone: false, pinned: false, type: 0, flags: 0 }
    return { id: '401', channel_id: channelId, author: user, content, ...times, ...flags, ...absent }
  }

  const gateway = new WebSocketServer({ server })
  t.after(() => gateway.clients.forEach((socket) => void socket.terminate()))
  gateway.on('connection', (socket) => {
    let sequence = 0
    const send = (code: number, d: unknown, type?: string) =>
      socket.send(JSON.stringify({ op: code, d, s: type === undefined ? null : ++sequence, t: type ?? null }))
    const greet = () => send(op.hello, { heartbeat_interval: 45_000 })
    if (isAway) greetings.push(greet)
    else greet()
    socket.on('message', (data) => {
      const { op: code, d } = JSON.parse(String(data))
      if (code === op.heartbeat) send(op.heartbeatAck, null)
      if (code === op.presence) presences.push(d.status)
      if (code === op.resume) send(op.dispatch, {}, 'RESUMED')
      if (code !== op.identify) return
      const { shard = [0, 1] } = d
      shards.set(shard[0], socket)
      if (d.presence) presences.push(d.presence.status)
      const session = { session_id: 'one', resume_gateway_url: gatewayUrl, shard }
      const guilds = [{ id: guild.id, unavailable: true }]
      send(op.dispatch, { v: 10, user, guilds, application: { id: user.id, flags: 0 }, ...session }, 'READY')
      send(op.dispatch, guild, 'GUILD_CREATE')
    })
  })
  return {
    url,
    posted,
    presences,
    /**
     * Ends a shard's connection, and leaves new ones without a greeting until {@link returns}. discord.py would try again
     * after a refused connection, but only a minute later.
     */
    losesShard(shard: number) {
      isAway = true
      shards.get(shard)?.terminate()
    },
    returns() {
      isAway = false
      for (const greet of greetings.splice(0)) greet()
    },
  }
}
