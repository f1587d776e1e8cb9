import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'

/** Returns whether the user may send test webhooks. A test passes the flow's key and signature. */
export function mayTest(standing: Parameters<typeof mayDo>[0], { requiresKey, signature }: FlowWebhook): boolean {
  const isProtected = requiresKey || signature !== null
  return mayDo(standing, 'change-flows') && (!isProtected || mayDo(standing, 'change-keys'))
}
