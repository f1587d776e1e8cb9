import type { BotId, FlowId } from '../../ids.ts'
import type { OverlappingKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { SignatureSetting } from './signature-setting.ts'

/** The only type of flow that can listen for webhooks. */
export const eventFlowKind = 'event'

export interface Flow {
  botId: BotId
  id: FlowId
  /** Type of the flow. Any word can be stored, but only {@link eventFlowKind} has an effect in this service. */
  kind: string
  name: string
  /** Code that lets others view the flow. */
  publicCode: string | null
  /** Webhook settings. `null` if the flow doesn't listen for webhooks. */
  webhook: FlowWebhook | null
}

export interface FlowWebhook {
  path: string
  requiresKey: boolean
  /** The current key, and the previous one while both are valid. Keys are checked only if `requiresKey` is set. */
  keys: readonly OverlappingKey[]
  /**
   * Whether the flow has strict order: an event isn't delivered while an earlier event in the same flow is unfinished.
   */
  ordered: boolean
  /** How senders sign webhooks. `null` if signatures aren't checked. */
  signature: SignatureSetting | null
  /** How duplicates are detected. `null` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | null
}
