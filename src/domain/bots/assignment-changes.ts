import type { BotId, RuntimeId } from '../ids.ts'
import type { LiveRuntimeKey } from './runtime.ts'

type KeysListener = (runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]) => void

/** Tells those who hold connections of runtimes that what these may host, or by which keys, has changed. */
export class AssignmentChanges {
  readonly #botListeners = new Set<(botId: BotId) => void>()
  readonly #keysListeners = new Set<KeysListener>()

  onBot(listener: (botId: BotId) => void): () => void {
    this.#botListeners.add(listener)
    return () => this.#botListeners.delete(listener)
  }

  onRuntimeKeys(listener: KeysListener): () => void {
    this.#keysListeners.add(listener)
    return () => this.#keysListeners.delete(listener)
  }

  bot(botId: BotId): void {
    for (const listener of this.#botListeners) listener(botId)
  }

  /** @param keys those that are live; none when the runtime is gone. */
  runtimeKeys(runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]): void {
    for (const listener of this.#keysListeners) listener(runtimeId, keys)
  }
}
