import type { BotId, RuntimeId } from '../ids.ts'

/**
 * A change that is broadcast to the other nodes, so that they act on it immediately. The nodes read the details from
 * the store. `runtime-keys` stands for any change of a runtime.
 */
export type NodeMessage = { kind: 'bot'; botId: BotId } | { kind: 'runtime-keys'; runtimeId: RuntimeId }

/**
 * Broadcasts changes between nodes. A node misses changes while it is unreachable, and gets `missed` once it is
 * reachable again.
 */
export interface NodeBroadcast {
  /**
   * Broadcasts without waiting. If a broadcast is lost, other nodes see the change when their caches expire, within
   * seconds.
   */
  broadcast(message: NodeMessage): void
  /**
   * Calls the listener with each change on another node, or with `missed` if some changes may have been lost. Returns a
   * function that unsubscribes.
   */
  onMessage(listener: (message: NodeMessage | 'missed') => void): () => void
}
