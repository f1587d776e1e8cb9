import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { AdmittedWebhook } from '../../../domain/webhooks/webhooks.ts'
import type { BotVisit } from '../on-bot.ts'

/** Returns a webhook like the ones that senders send, with a body that marks it as a test. */
export function testWebhook({ bot, flow, path, by, nowMs }: BotVisit & { flow: Flow; path: string }): AdmittedWebhook {
  const body = { test: true, bot: bot.id, flow: flow.id, sentAt: new Date(nowMs).toISOString() }
  return {
    path,
    headers: {
      contentType: 'application/json',
      userAgent: 'Gatehouse-Test/1',
      forwardedFor: undefined,
      requestId: undefined,
    },
    requestHeaders: {},
    clearTextKey: undefined,
    clientIp: by.origin.address,
    body: Buffer.from(JSON.stringify(body)),
  }
}
