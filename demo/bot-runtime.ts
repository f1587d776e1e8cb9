import { randomInt } from 'node:crypto'
import { WebSocket } from 'ws'

/** Frames of the runtime link that this runtime understands; it ignores all others. */
type ServiceFrame =
  | { type: 'hello'; heartbeatMs: number }
  | { type: 'welcome'; bots: string[] }
  | { type: 'bots'; add: string[]; remove: string[] }
  | { type: 'dispatch'; delivery: string; botId: string; path: string; attempt: number; body: string }

/** After these the service does not want the connection back: key refused, protocol error, replaced. */
const finalCloseCodes = [4001, 4002, 4003]
const credit = 16

export interface BotRuntime {
  /** Says good-bye, so that the bots are offline at once, and closes. */
  stop(): Promise<void>
}

/**
 * A bot runtime in little: hosts every bot its key may host, reports heartbeats, prints each dispatch and
 * acknowledges it, and connects again when the connection is lost. Resolves when it hosts its bots.
 */
export async function startBotRuntime(
  apiUrl: string,
  runtimeKey: string,
  say: (line: string) => void,
): Promise<BotRuntime> {
  const address = `${apiUrl.replace(/^http/, 'ws')}/runtime`
  const startedAtMs = Date.now()
  const bots = new Set<string>()
  let socket: WebSocket
  let heartbeats: NodeJS.Timeout | undefined
  let stopping = false

  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const heartbeat = () =>
    send({
      type: 'heartbeat',
      bots: [...bots].map((botId) => ({
        botId,
        ready: true,
        presence: 'online',
        uptimeMs: Date.now() - startedAtMs,
        guildCount: 2,
        shardCount: 1,
      })),
      working: [],
    })

  const take = (frame: ServiceFrame, hosting: () => void) => {
    switch (frame.type) {
      case 'hello':
        send({ type: 'ready', instance: 'demo-1', agent: 'gatehouse-demo', credit })
        heartbeats = setInterval(heartbeat, frame.heartbeatMs)
        break
      case 'welcome':
        bots.clear()
        for (const botId of frame.bots) bots.add(botId)
        heartbeat()
        hosting()
        break
      case 'bots':
        for (const botId of frame.add) bots.add(botId)
        for (const botId of frame.remove) bots.delete(botId)
        heartbeat()
        break
      case 'dispatch': {
        const body = Buffer.from(frame.body, 'base64').toString('utf8')
        say(`  bot ${frame.botId} · webhook ${frame.path} · attempt ${frame.attempt} · ${body.slice(0, 200)}`)
        send({ type: 'ack', deliveries: [frame.delivery] })
      }
    }
  }

  const connect = (failures: number, hosting: () => void) => {
    socket = new WebSocket(address, 'gatehouse.runtime.v1', { headers: { authorization: `Bearer ${runtimeKey}` } })
    let connected = false
    socket.on('message', (data) => {
      connected = true
      take(JSON.parse(String(data)) as ServiceFrame, hosting)
    })
    // What follows an error is always `close`, which decides.
    socket.on('error', () => {})
    socket.on('close', (code, reason) => {
      clearInterval(heartbeats)
      if (stopping) return
      if (finalCloseCodes.includes(code)) return say(`  the runtime link was closed for good: ${code} ${reason}`)
      const failed = connected ? 0 : failures + 1
      const waitMs = randomInt(Math.min(30_000, 500 * 2 ** failed))
      setTimeout(() => connect(failed, hosting), waitMs).unref()
    })
  }

  await new Promise<void>((resolve) => connect(0, resolve))
  return {
    async stop() {
      stopping = true
      if (socket.readyState !== WebSocket.OPEN) return
      send({ type: 'bye' })
      await new Promise<void>((resolve) => {
        socket.on('close', () => resolve())
        socket.close()
      })
    },
  }
}
