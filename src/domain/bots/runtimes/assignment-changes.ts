import type { BotId, RuntimeId } from '../../ids.ts'
import type { NodeBroadcast } from '../node-broadcast.ts'
import type { LiveRuntimeKey } from './runtime.ts'

type KeysListener = (runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]) => void

/**
 * Notifies runtime connections when their bots or keys change: directly on this node, and by broadcast on other nodes.
 */
export class AssignmentChanges {
  readonly #news: NodeBroadcast | undefined
  readonly #botListeners = new Set<(botId: BotId) => void>()
  readonly #keysListeners = new Set<KeysListener>()
  readonly #missedListeners = new Set<() => void>()

  constructor(news?: NodeBroadcast) {
    this.#news = news
  }

  onBot(listener: (botId: BotId) => void): () => void {
    this.#botListeners.add(listener)
    return () => this.#botListeners.delete(listener)
  }

  onRuntimeKeys(listener: KeysListener): () => void {
    this.#keysListeners.add(listener)
    return () => this.#keysListeners.delete(listener)
  }

  onMissed(listener: () => void): () => void {
    this.#missedListeners.add(listener)
    return () => this.#missedListeners.delete(listener)
  }

  bot(botId: BotId): void {
    this.botChangedElsewhere(botId)
    this.#news?.broadcast({ kind: 'bot', botId })
  }

  /** @param keys the valid keys; empty if the runtime was removed. */
  runtimeKeys(runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]): void {
    this.runtimeKeysChangedElsewhere(runtimeId, keys)
    this.#news?.broadcast({ kind: 'runtime-keys', runtimeId })
  }

  /** Called when another node changed the bot. */
  botChangedElsewhere(botId: BotId): void {
    for (const listener of this.#botListeners) listener(botId)
  }

  /** Called when another node changed the runtime's keys. */
  runtimeKeysChangedElsewhere(runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]): void {
    for (const listener of this.#keysListeners) listener(runtimeId, keys)
  }

  /** Called when changes on other nodes may have been missed. */
  missed(): void {
    for (const listener of this.#missedListeners) listener()
  }
}
