import assert from 'node:assert/strict'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { type ListeningBot, provisionListeningBot } from './bot-runtime.ts'
import type { World } from './world.ts'

export interface SeveralBots {
  botIds: BotId[]
  /**
   * Sends `ofEach` webhooks to each bot concurrently, alternating between the nodes. Resolves with their bodies, which
   * are all different.
   */
  burst(nodes: readonly World[], ofEach: number): Promise<string[]>
}

/**
 * Provisions bots that listen for webhooks. Unless the clock moves, all their webhooks are accepted in the same
 * millisecond.
 */
export async function provisionSeveralBots(world: World, count: number): Promise<SeveralBots> {
  const bots: ListeningBot[] = []
  for (let n = 0; n < count; n += 1) bots.push(await provisionListeningBot(world.service, { botId: `bot-${n}` }))
  return {
    botIds: bots.map(({ botId }) => botId),
    async burst(nodes, ofEach) {
      const sends = bots.flatMap(({ botId, path }) =>
        Array.from({ length: ofEach }, async (_, n) => {
          const body = `${botId} ${n}`
          const url = `${nodes[n % nodes.length]?.apiUrl}/${botId}/${path}`
          assert.equal((await fetch(url, { method: 'POST', body })).status, 202)
          return body
        }),
      )
      return Promise.all(sends)
    },
  }
}
