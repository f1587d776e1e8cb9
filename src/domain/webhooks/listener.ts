import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { SignatureSetting } from '../bots/flows/signature-setting.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

/** The event flow that listens for webhooks on one path of one bot. */
export interface Listener {
  botId: BotId
  flowId: FlowId
  /** Current key first. `undefined` if the flow requires no key. */
  keys: readonly ListenerKey[] | undefined
  /** Strict order: its events are delivered one at a time. */
  ordered: boolean
  /** `undefined` if signatures aren't checked. */
  signature: ListenerSignature | undefined
  /** `undefined` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | undefined
}

export interface ListenerSignature {
  setting: SignatureSetting
  /** `undefined` if the setting has no secret. */
  sealedSecret: Uint8Array | undefined
}

export interface ListenerKey {
  number: number
  digest: SecretDigest
  /** `null` for the current key. The previous key is valid until this time. */
  endsAtMs: number | null
}

export interface ListenerStore {
  /**
   * Reads the flow that listens on the path. Finds no flow of a deleted bot, but finds flows of bots with hosting off.
   */
  findListener(botId: BotId, path: string): Promise<Listener | undefined>
  /** @param lastUsedAtMs times of the last use, by key number. Numbers of removed keys are ignored. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}
