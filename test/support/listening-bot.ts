import { type BotId, type FlowId, parseBotId, parseFlowId, parseUserId } from '../../src/domain/ids.ts'
import type { Service } from '../../src/service.ts'

export interface ListeningBot {
  botId: BotId
  flowId: FlowId
  path: string
  /** The flow's key. An empty string if the flow requires no key. */
  key: string
}

/** Provisions a bot (and its owner) with one event flow that listens for webhooks. */
export async function provisionListeningBot(
  { accounts, bots }: Service,
  wanted: { botId?: string; owner?: string; path?: string; requiresKey?: boolean; hostingEnabled?: boolean } = {},
): Promise<ListeningBot> {
  const {
    botId: id = 'greeter',
    owner = 'ada',
    path = 'hooks/orders',
    requiresKey = false,
    hostingEnabled = true,
  } = wanted
  const [ownerId, botId, flowId] = [parseUserId(owner), parseBotId(id), parseFlowId('orders')]
  if (ownerId === undefined || botId === undefined || flowId === undefined) throw new Error(`${id} is no bot id`)
  await accounts.users.put(ownerId, { name: owner === 'ada' ? 'Ada' : owner })
  const chatPlatformId = String(10n ** 17n + BigInt(`0x${Buffer.from(id).toString('hex').slice(-12)}`))
  await bots.records.put(botId, { ownerId, name: id, chatPlatformId, hostingEnabled, publicStatus: true })
  const { clearTextKey = '' } = await bots.flows.put(botId, flowId, {
    kind: 'event',
    name: 'Orders',
    webhook: { path, requiresKey },
  })
  return { botId, flowId, path, key: clearTextKey }
}
