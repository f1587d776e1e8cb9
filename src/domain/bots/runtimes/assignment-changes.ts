import type { BotId, RuntimeId } from '../../ids.ts'
import type { NodeNews } from '../node-news.ts'
import type { LiveRuntimeKey } from './runtime.ts'

type KeysListener = (runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]) => void

/**
 * Tells those who hold connections of runtimes that what these may host, or by which keys, has changed: at this
 * node, and by the news at the others.
 */
export class AssignmentChanges {
  readonly #news: NodeNews | undefined
  readonly #botListeners = new Set<(botId: BotId) => void>()
  readonly #keysListeners = new Set<KeysListener>()
  readonly #missedListeners = new Set<() => void>()

  constructor(news?: NodeNews) {
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
    this.heardOfBot(botId)
    this.#news?.tell({ kind: 'bot', botId })
  }

  /** @param keys those that are live; none when the runtime is gone. */
  runtimeKeys(runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]): void {
    this.heardOfRuntimeKeys(runtimeId, keys)
    this.#news?.tell({ kind: 'runtime-keys', runtimeId })
  }

  /** Another node changed the bot. */
  heardOfBot(botId: BotId): void {
    for (const listener of this.#botListeners) listener(botId)
  }

  /** Another node changed the runtime's keys. */
  heardOfRuntimeKeys(runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]): void {
    for (const listener of this.#keysListeners) listener(runtimeId, keys)
  }

  /** Changes at other nodes were not told: anything may be different. */
  missed(): void {
    for (const listener of this.#missedListeners) listener()
  }
}
