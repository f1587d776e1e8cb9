import type { BotId, RuntimeId } from '../ids.ts'

/** A change broadcast to the other nodes, so that they act on it immediately. They read the details from the store. */
export type NodeMessage = { kind: 'bot'; botId: BotId } | { kind: 'runtime-keys'; runtimeId: RuntimeId }

/**
 * Broadcasts changes between nodes. Changes are lost while a node is unreachable; that node is then notified with
 * `missed`.
 */
export interface NodeBroadcast {
  /**
   * Broadcasts without waiting. If a broadcast is lost, other nodes see the change after their caches expire, within
   * seconds.
   */
  broadcast(news: NodeMessage): void
  /**
   * Calls the listener with each change on another node, or with `missed` if some may have been lost. Returns a
   * function that unsubscribes.
   */
  onMessage(listener: (news: NodeMessage | 'missed') => void): () => void
}
