import type { BotId, FlowId } from '../ids.ts'

/** Why the gateway refused a webhook, as shown to the bot's owner. */
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

/** Similar refusals: same flow, cause, client address and path. Contains no key, signature, header or body. */
export interface RefusedWebhooks {
  /** `undefined` if the webhook was for no known flow. */
  flowId: FlowId | undefined
  cause: RefusalCause
  address: string
  /** The requested path, if no flow listens on it. */
  path: string | undefined
  count: number
  firstAtMs: number
  lastAtMs: number
}

/** Refused webhooks of bots. Each method runs in one transaction. */
export interface RefusedWebhookStore {
  /**
   * Adds the refusals. Keeps only the newest `keep` rows per flow, and per bot for those of no flow. Omits refusals for
   * bots that don't exist.
   */
  add(refused: readonly (RefusedWebhooks & { botId: BotId })[], keep: number): Promise<void>
  /** Returns up to `most` refusals, newest first. @param flowId `undefined` means every flow, and none. */
  list(botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]>
  /** Returns how many webhooks the stored refusals stand for. */
  count(botId: BotId): Promise<number>
  /** Deletes up to `limit` refusals from before `atMs`. Returns the number deleted. */
  prune(atMs: number, limit: number): Promise<number>
}
