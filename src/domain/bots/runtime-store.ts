import type { BotId, RuntimeId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'
import type { Runtime, RuntimeRecord } from './runtime.ts'

/** Each method is one transaction. */
export interface RuntimeStore {
  /** Stores the runtime, or names those of its bots that are unknown or, for an owner's, not that owner's. */
  addRuntime(runtime: RuntimeRecord, keyDigest: SecretDigest): Promise<'added' | { unknown: BotId[] }>
  findByKey(keyDigest: SecretDigest): Promise<Runtime | undefined>
  findRuntime(id: RuntimeId): Promise<RuntimeRecord | undefined>
  /** Newest first. */
  listRuntimes(most: number): Promise<RuntimeRecord[]>
  /** Ends its key. False when there is none. */
  removeRuntime(id: RuntimeId): Promise<boolean>
}
