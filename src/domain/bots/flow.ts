import type { BotId, FlowId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

/** Only a flow of this kind listens for webhooks. */
export const eventFlowKind = 'event'

/** What runs on a bot when something happens. */
export interface Flow {
  botId: BotId
  id: FlowId
  /** A free word; only `event` means something here. */
  kind: string
  name: string
  /** By which others may look at the flow. */
  publicCode: string | null
  /** Null: it listens for no webhook. */
  webhook: FlowWebhook | null
}

export interface FlowWebhook {
  path: string
  requiresKey: boolean
  /** Last four characters of the key; null when there is none. Without `requiresKey` a key waits for its day. */
  keyLastFour: string | null
  /** An event is not handed out while an earlier one of the flow is unfinished. */
  ordered: boolean
}

export interface StoredKey {
  digest: SecretDigest
  lastFour: string
}
