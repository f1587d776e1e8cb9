import { WebSocket } from 'ws'
import { botIdOf } from './setting.ts'

/**
 * Instructs the fleet to connect one runtime per key and send heartbeats for its bots. `end` asks it for the result.
 */
export type FleetOrder = { api: string; keys: string[]; bots: number; intervalMs: number } | 'end'

export interface FleetResult {
  sent: number
  answered: number
  lost: number
}

const result: FleetResult = { sent: 0, answered: 0, lost: 0 }

process.on('message', async (order: FleetOrder) => {
  if (order !== 'end') {
    const { keys, intervalMs } = order
    await Promise.all(keys.map((key, runtime) => report(order, key, runtime, (intervalMs / keys.length) * runtime)))
  }
  process.send?.(result)
  if (order === 'end') process.disconnect?.()
})

/**
 * Connects a runtime that sends heartbeats for its bots. Resolves once the service has welcomed it. The first heartbeat
 * follows after `firstAfterMs`, which differs between runtimes so that their heartbeats are spread over the interval.
 */
function report(
  { api, keys, bots, intervalMs }: Exclude<FleetOrder, 'end'>,
  key: string,
  runtime: number,
  firstAfterMs: number,
): Promise<void> {
  const botIds = Array.from({ length: bots }, (_, number) => number)
    .filter((number) => number % keys.length === runtime)
    .map(botIdOf)
  const socket = new WebSocket(`${api.replace('http', 'ws')}runtime`, ['gatehouse.runtime.v1'], {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  })
  const sayReady = { type: 'ready', instance: 'bench', agent: 'bench/1', credit: 16 }
  socket.on('open', () => socket.send(JSON.stringify(sayReady)))
  socket.on('close', () => {
    result.lost += 1
  })
  const startedMs = Date.now()
  const beat = () => {
    const uptimeMs = Date.now() - startedMs
    const reports = botIds.map((botId) => ({
      botId,
      ready: true,
      presence: 'online',
      uptimeMs,
      guildCount: 12,
      shardCount: 1,
    }))
    socket.send(JSON.stringify({ type: 'heartbeat', bots: reports, working: [] }))
    result.sent += 1
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string }
      if (type === 'heartbeat') result.answered += 1
      if (type !== 'welcome') return
      setTimeout(() => {
        beat()
        setInterval(beat, intervalMs).unref()
      }, firstAfterMs)
      resolve()
    })
  })
}
