import type { BotId, RuntimeId } from '../ids.ts'

/** What a node tells the others, so that they act on it at once: they read the rest from the store. */
export type News = { kind: 'bot'; botId: BotId } | { kind: 'runtime-keys'; runtimeId: RuntimeId }

/** How nodes tell each other. What was told while one could not be reached is lost, and it is told that. */
export interface NodeNews {
  /** Nobody waits for it. What a node can't tell, others notice late: what they remember is seconds old at most. */
  tell(news: News): void
  /** Told what other nodes tell; `missed` when some of it may have been lost. Returns how to stop. */
  onNews(listener: (news: News | 'missed') => void): () => void
}
