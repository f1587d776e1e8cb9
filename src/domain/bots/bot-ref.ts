import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId } from '../ids.ts'

/** How an address names a bot. The two forms never overlap, so each text names one bot at most. */
export type BotRef = { kind: 'chat-platform-id'; id: ChatPlatformId } | { kind: 'bot-id'; id: BotId }

/** 17 to 20 digits are a chat-platform id, everything else is our own id; undefined when it can't be one. */
export function parseBotRef(text: string): BotRef | undefined {
  const chatPlatformId = parseChatPlatformId(text)
  if (chatPlatformId !== undefined) return { kind: 'chat-platform-id', id: chatPlatformId }
  const botId = parseBotId(text)
  return botId === undefined ? undefined : { kind: 'bot-id', id: botId }
}
