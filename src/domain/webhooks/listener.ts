import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { SignatureSetting } from '../bots/flows/signature-setting.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

/** The event flow that listens for webhooks on one of a bot's paths. */
export interface Listener {
  botId: BotId
  flowId: FlowId
  /** Keys that the flow accepts, the current key first. `undefined` if the flow requires no key. */
  keys: readonly ListenerKey[] | undefined
  /** Whether the flow has strict order: its events are delivered one at a time. */
  ordered: boolean
  /** How to check signatures. `undefined` if signatures aren't checked. */
  signature: ListenerSignature | undefined
  /** How to detect duplicates. `undefined` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | undefined
}

export interface ListenerSignature {
  setting: SignatureSetting
  /** Encrypted signing secret. `undefined` if the setting uses no secret. */
  sealedSecret: Uint8Array | undefined
}

export interface ListenerKey {
  number: number
  digest: SecretDigest
  /** When the previous key expires. `null` for the current key. */
  endsAtMs: number | null
}

export interface ListenerStore {
  /**
   * Returns the flow that listens on the path, even if the bot's hosting is off. Flows of deleted bots are not found.
   */
  findListener(botId: BotId, path: string): Promise<Listener | undefined>
  /**
   * Stores when keys were last used.
   *
   * @param lastUsedAtMs last-use times by key number. Numbers of removed keys are ignored.
   */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}
