import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId } from '../ids.ts'

/** How a URL identifies a bot. The two ID formats never overlap, so a text identifies at most one bot. */
export type BotRef = { kind: 'chat-platform-id'; id: ChatPlatformId } | { kind: 'bot-id'; id: BotId }

/**
 * Parses 17 to 20 digits as a chat-platform ID and anything else as a bot ID. Returns `undefined` if the text is
 * neither kind of ID.
 */
export function parseBotRef(text: string): BotRef | undefined {
  const chatPlatformId = parseChatPlatformId(text)
  if (chatPlatformId !== undefined) return { kind: 'chat-platform-id', id: chatPlatformId }
  const botId = parseBotId(text)
  return botId === undefined ? undefined : { kind: 'bot-id', id: botId }
}
