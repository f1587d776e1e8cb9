import type { BotId, RuntimeId } from '../ids.ts'

/** Tells those who hold connections of runtimes that what these may host has changed. */
export class AssignmentChanges {
  readonly #botListeners = new Set<(botId: BotId) => void>()
  readonly #runtimeListeners = new Set<(runtimeId: RuntimeId) => void>()

  onBot(listener: (botId: BotId) => void): () => void {
    this.#botListeners.add(listener)
    return () => this.#botListeners.delete(listener)
  }

  onRuntimeRemoved(listener: (runtimeId: RuntimeId) => void): () => void {
    this.#runtimeListeners.add(listener)
    return () => this.#runtimeListeners.delete(listener)
  }

  bot(botId: BotId): void {
    for (const listener of this.#botListeners) listener(botId)
  }

  runtimeRemoved(runtimeId: RuntimeId): void {
    for (const listener of this.#runtimeListeners) listener(runtimeId)
  }
}
