import type { BotId, FlowId } from '../../ids.ts'
import type { OverlappingKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { SignatureSetting } from './signature-setting.ts'

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
  /** The current key, and the previous one while both are valid. They are checked only with `requiresKey`. */
  keys: readonly OverlappingKey[]
  /** An event is not handed out while an earlier one of the flow is unfinished. */
  ordered: boolean
  /** How its senders sign; null: signatures are not looked at. */
  signature: SignatureSetting | null
  /** By what repetitions are known; null: every webhook is an event. */
  dedupe: DedupeSetting | null
}
