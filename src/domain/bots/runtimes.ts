import type { Clock } from '../clock.ts'
import { type BotId, newId, parseRuntimeId, type RuntimeId, type UserId } from '../ids.ts'
import { runtimesListedMax } from '../limits.ts'
import type { Secrets } from '../secret.ts'
import type { AssignmentChanges } from './assignment-changes.ts'
import { BotRefusal } from './bot-refusal.ts'
import { parseAll, parseName } from './record-rules.ts'
import type { Runtime, RuntimeRecord } from './runtime.ts'
import type { RuntimeStore } from './runtime-store.ts'

export interface RuntimeForm {
  name: string
  /** Null for the operator's. */
  ownerId: UserId | null
  /** Null: every bot, or every bot of the owner. */
  botIds: readonly BotId[] | null
}

/** The processes that host bots, and their keys. */
export class Runtimes {
  readonly #store: RuntimeStore
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #changes: AssignmentChanges

  constructor(parts: { store: RuntimeStore; secrets: Secrets; clock: Clock; changes: AssignmentChanges }) {
    this.#store = parts.store
    this.#secrets = parts.secrets
    this.#clock = parts.clock
    this.#changes = parts.changes
  }

  /**
   * Makes a runtime and its key, which is told this once.
   *
   * @throws BotRefusal with every fault of the form; `runtime-bot-unknown`, for an owner's also of another's bot.
   */
  async make(form: RuntimeForm): Promise<{ runtime: RuntimeRecord; clearTextKey: string }> {
    const name = parseAll((take) => take(parseName(form.name)))
    const id = parseRuntimeId(newId())
    if (id === undefined) throw new Error('a new id does not have the form of an id')
    const key = this.#secrets.make('runtimeKey')
    const botIds = form.botIds === null ? null : [...new Set(form.botIds)]
    const runtime = { ...form, id, name, botIds, keyLastFour: key.lastFour, createdAtMs: this.#clock.nowMs() }
    const outcome = await this.#store.addRuntime(runtime, key.digest)
    if (outcome !== 'added') throw new BotRefusal('runtime-bot-unknown', { detail: outcome.unknown.join(', ') })
    return { runtime, clearTextKey: key.clearText }
  }

  /** The runtime of this key; undefined when there is none. */
  authenticate(clearTextKey: string): Promise<Runtime | undefined> {
    return this.#store.findByKey(this.#secrets.digest(clearTextKey))
  }

  find(id: RuntimeId): Promise<RuntimeRecord | undefined> {
    return this.#store.findRuntime(id)
  }

  /** Newest first, at most {@link runtimesListedMax}. */
  list(): Promise<RuntimeRecord[]> {
    return this.#store.listRuntimes(runtimesListedMax)
  }

  /** Ends the runtime's key and its connections. False when there is none. */
  async remove(id: RuntimeId): Promise<boolean> {
    const removed = await this.#store.removeRuntime(id)
    if (removed) this.#changes.runtimeRemoved(id)
    return removed
  }
}
