import type { BotId, FlowId } from '../ids.ts'
import type { Flow, StoredKey } from './flow.ts'

/** What provisioning stores. An absent member keeps what is there; null clears it. */
export interface StoredFlowChange {
  kind: string
  name: string
  publicCode?: string | null
  webhook?: StoredWebhookChange | null
}

export interface StoredWebhookChange {
  path: string
  requiresKey: boolean
  ordered?: boolean
  key?: StoredKey | null
  /** Becomes the key when one is required and, after all of the above, there is none. */
  spareKey: StoredKey
}

export type PutFlowOutcome =
  | { kind: 'created' | 'changed'; flow: Flow; spareKeyUsed: boolean }
  | { kind: 'bot-unknown' }
  | { kind: 'webhook-needs-event-flow' }
  | { kind: 'webhook-path-taken' }

/** Each method is one transaction. The flows of a deleted bot are found by none of them. */
export interface FlowStore {
  /** Creates or changes. A flow that would listen for webhooks without being an event flow is refused. */
  putFlow(botId: BotId, id: FlowId, change: StoredFlowChange, nowMs: number): Promise<PutFlowOutcome>
  findFlow(botId: BotId, id: FlowId): Promise<Flow | undefined>
  /** In order of their ids. */
  listFlows(botId: BotId): Promise<Flow[]>
  /** False when there is none. */
  removeFlow(botId: BotId, id: FlowId): Promise<boolean>
}
