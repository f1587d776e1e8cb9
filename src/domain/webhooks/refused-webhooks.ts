import type { FlowId } from '../ids.ts'

/** Reasons why the gateway refuses a webhook, as shown to the bot's owner. */
export type RefusalCause =
  | 'key-missing'
  | 'key-wrong'
  | 'signature-missing'
  | 'signature-mismatch'
  | 'timestamp-stale'
  | 'too-large'
  | 'queue-full'
  | 'path-unknown'

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
