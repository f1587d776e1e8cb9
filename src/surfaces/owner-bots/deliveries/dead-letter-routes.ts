import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BulkOutcome } from '../../../domain/webhooks/event-actions.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import { onBot, sendNotFound } from '../on-bot.ts'
import { askBulkPage, bulkDonePage } from './bulk-pages.ts'
import type { DeliveryServices } from './list-data.ts'
import { flowInFilter } from './list-routes.ts'

/** Registers `/bots/{botId}/dead-letters`: replaying and discarding all dead letters. */
export function deadLetterRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { deliveryLog } = services

  for (const action of ['replay', 'discard'] as const) {
    app.get(
      `/bots/:botId/dead-letters/${action}`,
      onBot(services, 'replay', async (visit) => {
        const query = visit.request.query as Record<string, unknown>
        const flow = await flowInFilter(services, visit, query.flow)
        if (flow === 'unknown') return sendNotFound(visit)
        return sendPage(visit.reply, askBulkPage({ ...visit, action, flow }))
      }),
    )

    app.post(
      `/bots/:botId/dead-letters/${action}`,
      onBot(
        services,
        'replay',
        async (visit) => {
          const { bot, by, request, reply } = visit
          const flow = await flowInFilter(services, visit, formText(request, 'flow'))
          if (flow === 'unknown') return sendNotFound(visit)
          const from = formText(request, 'from') || undefined
          const flowId = flow?.id
          const outcome: BulkOutcome =
            action === 'replay'
              ? await deliveryLog.replayAll(by, bot.id, { state: 'dead', flowId }, from)
              : await deliveryLog.discardAll(by, bot.id, { flowId }, from)
          const event = action === 'replay' ? 'dead letters replayed' : 'dead letters discarded'
          request.log.info({ bot: bot.id, user: by.userId, events: outcome.events }, event)
          return sendPage(reply, bulkDonePage({ ...visit, action, flow, outcome }))
        },
        { page: pageOfBulk },
      ),
    )
  }
}

/** Returns the confirmation page's URL, with the flow from the posted form. */
function pageOfBulk(request: FastifyRequest): string {
  const flow = formText(request, 'flow')
  return flow === '' ? request.url : `${request.url}?flow=${encodeURIComponent(flow)}`
}
