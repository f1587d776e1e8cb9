import type { BotId, FlowId } from '../ids.ts'

/** Reasons why the gateway refuses a webhook, as shown to the bot's owner. */
export const refusalCauses = [
  'key-missing',
  'key-wrong',
  'signature-missing',
  'signature-mismatch',
  'timestamp-stale',
  'too-large',
  'queue-full',
  'path-unknown',
] as const
export type RefusalCause = (typeof refusalCauses)[number]

/** Similar refusals, with the same flow, cause, client address and path. Contains no key, signature, header or body. */
export interface RefusedWebhooks {
  /** The flow that the webhook was for. `undefined` if no flow is known. */
  flowId: FlowId | undefined
  cause: RefusalCause
  address: string
  /** The requested path. Set only if no flow listens on it. */
  path: string | undefined
  count: number
  firstAtMs: number
  lastAtMs: number
}

/** Stores refused webhooks of bots. Each method runs in one transaction. */
export interface RefusedWebhookStore {
  /**
   * Adds the refusals. Keeps only the newest `keep` rows per flow, and per bot for refusals without a flow. Ignores
   * refusals for bots that don't exist.
   */
  add(refused: readonly (RefusedWebhooks & { botId: BotId })[], keep: number): Promise<void>
  /**
   * Returns up to `most` refusals, newest first.
   *
   * @param flowId `undefined` selects all refusals, including those without a flow.
   */
  list(botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]>
  /** Returns the number of webhooks that the bot's stored refusals cover. */
  count(botId: BotId): Promise<number>
  /** Deletes up to `limit` refusals from before `atMs`. Returns the number deleted. */
  prune(atMs: number, limit: number): Promise<number>
}
