import type { FastifyInstance } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { sendPage } from '../../../pages/page.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { botRoutes, sendNotFound } from '../on-bot.ts'
import type { DeliveryServices } from './delivery-data.ts'
import { flowInFilter } from './list-routes.ts'
import { refusedList } from './refused-list.ts'

/** Registers `/bots/{botId}/deliveries/refused`: the webhooks that the gateway refused, and why. */
export function refusedRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { get } = botRoutes(app, services)
  get('/bots/:botId/deliveries/refused', 'read-bodies', async (visit) => {
    const { bot, by, request, reply } = visit
    const flow = await flowInFilter(services, visit, (request.query as Record<string, unknown>).flow)
    if (flow === 'unknown') return sendNotFound(visit)
    const [refused, flows] = await Promise.all([
      services.refusalLog.list(by.userId, bot.id, flow?.id, limits.refusedWebhooksShown),
      services.bots.flows.list(bot.id),
    ])
    return sendPage(reply, refusedPage({ ...visit, refused, flows }))
  })
}

function refusedPage(view: BotPageView & { refused: readonly RefusedWebhooks[]; flows: readonly Flow[] }): Html {
  const { bot, refused, flows } = view
  return botPartPage(view, {
    part: 'deliveries',
    inside: { name: t`Refused webhooks` },
    styles: ['deliveries.css'],
    modules: ['deliveries.js'],
    body: html`<p class="soft">${t`The gateway refused these requests, so they started no flow. Similar requests share a row. The latest ${limits.refusedWebhooksKept} rows per flow are kept for 7 days. Anyone who knows a URL can cause refusals.`}</p>
${refused.length === 0 ? emptyState({ title: t`No refused webhooks`, body: html`<p>${t`Every request in the last 7 days was accepted. If you miss one, check the URL in the sender’s settings.`}</p>` }) : refusedList(bot.id, refused, flows)}`,
  })
}
