import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { SignatureSetting } from '../bots/flows/signature-setting.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

/** The event flow that listens for webhooks on one path of one bot. */
export interface Listener {
  botId: BotId
  flowId: FlowId
  /** The current key first. Undefined: the flow requires none. */
  keys: readonly ListenerKey[] | undefined
  /** Its events are handed out one after the other. */
  ordered: boolean
  /** Undefined: signatures are not looked at. */
  signature: ListenerSignature | undefined
  /** Undefined: every webhook is an event. */
  dedupe: DedupeSetting | undefined
}

export interface ListenerSignature {
  setting: SignatureSetting
  /** Undefined where the setting takes none. */
  sealedSecret: Uint8Array | undefined
}

export interface ListenerKey {
  number: number
  digest: SecretDigest
  /** Null for the current key; the one before it opens until then. */
  endsAtMs: number | null
}

export interface ListenerStore {
  /** The flow listening there as of now, of a bot that is not deleted. Its hosting may be off. */
  findListener(botId: BotId, path: string): Promise<Listener | undefined>
  /** @param lastUsedAtMs when keys were used last, by their numbers; keys that are gone since are passed over. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}
