import { setTimeout as wait } from 'node:timers/promises'
import type { ClientCase } from '../client-case.ts'
import { botId, type ClientFrame, heartbeatMs, runtimeKey } from '../fake-service.ts'
import { fail } from '../wait-for.ts'

const report = { ready: true, presence: 'idle', uptimeMs: 1_000, guildCount: 7, shardCount: 1 }

export const openingCases: ClientCase[] = [
  {
    title: 'the client sends the key as a bearer token and requests the subprotocol',
    async run({ service }) {
      const { headers } = (await service.connection()).request
      if (headers.authorization !== `Bearer ${runtimeKey}`) fail('the header "authorization" is not "Bearer <key>"')
      const protocols = headers['sec-websocket-protocol']
      if (protocols !== 'gatehouse.runtime.v1') fail(`the client requested the subprotocol ${protocols ?? '(none)'}`)
    },
  },
  {
    title: 'the client waits for hello, then sends ready and nothing else before welcome',
    async run({ service }) {
      const session = await service.connection()
      await wait(2 * heartbeatMs)
      if (session.received.length > 0) fail(`the client sent "${session.received[0]?.type}" before hello`)
      session.hello()
      const { instance, agent, credit } = await session.next('ready')
      if (instance !== 'conformance') fail(`"instance" is ${JSON.stringify(instance)}, expected "conformance"`)
      if (typeof agent !== 'string') fail('"agent" is not a string')
      if (credit !== 4) fail(`"credit" is ${JSON.stringify(credit)}, expected 4`)
      await wait(2 * heartbeatMs)
      if (session.received.length > 1) fail(`the client sent "${session.received[1]?.type}" between ready and welcome`)
    },
  },
  {
    title: 'the client sends heartbeats at the interval given in hello and reports each hosted bot',
    async run({ service }) {
      const session = await service.beating()
      const first = await session.next('heartbeat')
      expectReport(first, [botId])
      const startedAtMs = performance.now()
      for (let beats = 0; beats < 5; beats += 1) await session.next('heartbeat')
      const each = (performance.now() - startedAtMs) / 5
      if (each < heartbeatMs / 3) fail(`the heartbeat interval is ${Math.round(each)} ms, expected ${heartbeatMs} ms`)
      if (each > heartbeatMs * 5) fail(`the heartbeat interval is ${Math.round(each)} ms, expected ${heartbeatMs} ms`)
    },
  },
  {
    title: 'after a bots frame the client reports added bots and stops reporting removed bots',
    async run({ service }) {
      const session = await service.beating()
      await session.next('heartbeat')
      session.send({ type: 'bots', add: ['beacon'], remove: [] })
      await session.find('no heartbeat lists the added bot', (frame) => botsOf(frame).includes('beacon'))
      session.send({ type: 'bots', add: [], remove: [botId] })
      const later = await session.find(
        'the removed bot is still listed in heartbeats',
        (frame) => frame.type === 'heartbeat' && !botsOf(frame).includes(botId),
      )
      expectReport(later, ['beacon'])
    },
  },
  {
    title: 'unknown frame types and members are ignored',
    async run({ service }) {
      const session = await service.connection()
      session.send({ type: 'weather', degrees: 21 })
      session.hello({ colour: 'green' })
      await session.next('ready')
      session.send({ type: 'welcome', bots: [botId], refused: [], lost: [], colour: 'green' })
      session.send({ type: 'constructor' })
      await session.acked(session.dispatch('ok', { colour: { deep: ['green'] } }))
    },
  },
  {
    title: 'an error frame does not end the session',
    async run({ service }) {
      const session = await service.welcomed()
      session.send({ type: 'error', code: 'unheard-of', message: 'something is wrong' })
      await session.acked(session.dispatch('ok'))
    },
  },
]

function botsOf(frame: ClientFrame): string[] {
  return frame.type === 'heartbeat' ? frame.bots.map((bot: { botId: string }) => bot.botId) : []
}

function expectReport(frame: ClientFrame, bots: string[]): void {
  const found = botsOf(frame)
  if (found.join() !== bots.join()) fail(`the heartbeat reports [${found}], expected [${bots}]`)
  for (const bot of frame.bots) {
    for (const [member, value] of Object.entries(report)) {
      if (bot[member] !== value) fail(`"${member}" is ${JSON.stringify(bot[member])}, expected ${value}`)
    }
  }
  if (!Array.isArray(frame.working)) fail('"working" is not an array')
}
