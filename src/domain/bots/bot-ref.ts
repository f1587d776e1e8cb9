import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId } from '../ids.ts'

/** How a URL names a bot. The two forms never overlap, so a text names at most one bot. */
export type BotRef = { kind: 'chat-platform-id'; id: ChatPlatformId } | { kind: 'bot-id'; id: BotId }

/**
 * Parses 17 to 20 digits as a chat-platform ID and anything else as a bot ID. Returns `undefined` if it can be neither.
 */
export function parseBotRef(text: string): BotRef | undefined {
  const chatPlatformId = parseChatPlatformId(text)
  if (chatPlatformId !== undefined) return { kind: 'chat-platform-id', id: chatPlatformId }
  const botId = parseBotId(text)
  return botId === undefined ? undefined : { kind: 'bot-id', id: botId }
}
