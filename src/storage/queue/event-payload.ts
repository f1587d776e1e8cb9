import type { BotId, FlowId } from '../../domain/ids.ts'
import type { NewEvent } from '../../domain/webhooks/delivery-queue.ts'

/** The columns of a received webhook, which event rows in both databases have in common. */
export interface PayloadColumns {
  bot_id: BotId
  flow_id: FlowId
  path: string
  client_ip: string
  content_type: string | null
  user_agent: string | null
  forwarded_for: string | null
  request_id: string | null
  accepted_at_ms: number
  /** 0 or 1. */
  ordered: number
}

/**
 * Returns the webhook as it was received.
 *
 * @param body passed separately, because the row may not contain it.
 */
export function payloadOf(row: PayloadColumns, body: Uint8Array): NewEvent {
  return {
    botId: row.bot_id,
    flowId: row.flow_id,
    path: row.path,
    headers: {
      contentType: row.content_type ?? undefined,
      userAgent: row.user_agent ?? undefined,
      forwardedFor: row.forwarded_for ?? undefined,
      requestId: row.request_id ?? undefined,
    },
    clientIp: row.client_ip,
    body,
    acceptedAtMs: row.accepted_at_ms,
    ordered: Boolean(row.ordered),
  }
}
