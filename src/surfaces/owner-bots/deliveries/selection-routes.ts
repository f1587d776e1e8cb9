import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as limits from '../../../domain/limits/limits.ts'
import { formText, formTexts } from '../../../pages/form-posts.ts'
import { ask } from '../../../pages/form-routes.ts'
import { html, t } from '../../../pages/html.ts'
import { botTrail, questionIn } from '../bot-frame.ts'
import { type BotVisit, botRoutes, sendNotFound } from '../on-bot.ts'
import { cannotBeUndone } from '../words.ts'
import { selectionDone } from './deliveries-page.ts'
import type { DeliveryServices } from './delivery-data.ts'
import { deliveryWords } from './delivery-words.ts'
import { queryText } from './list-query.ts'
import { readPostedList, sendList } from './list-routes.ts'
import { listWords } from './list-words.ts'

const words = listWords.selection

/** Registers the form for selected webhooks: replaying them, and discarding them after a confirmation. */
export function selectionRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { post } = botRoutes(app, services)
  post(
    '/bots/:botId/deliveries/selection',
    {
      action: 'replay',
      page: (request) => `/bots/${(request.params as { botId: string }).botId}/deliveries`,
    },
    async (visit) => {
      const { bot, by, request, redirect } = visit
      const action = actionIn(request)
      const query = await readPostedList(services, visit)
      if (query === undefined || action === undefined) return sendNotFound(visit)
      const ids = [...new Set(formTexts(request, 'event'))]
      if (ids.some((id) => id.length > limits.eventIdMaxCharacters)) return sendNotFound(visit)
      if (ids.length === 0)
        return sendList(services, visit, query, { status: 422, fault: t`Select at least one webhook.` })
      if (ids.length > limits.eventsSelectedMax) {
        return sendList(services, visit, query, { status: 422, fault: t`Select fewer webhooks.` })
      }
      const back = `/bots/${bot.id}/deliveries${queryText(query, { before: query.before })}`
      if (action === 'discard' && formText(request, 'confirmed') !== 'yes') {
        return askToDiscard(visit, ids, back)
      }
      // The list has the newest webhooks first. Replays keep the order in which the webhooks arrived.
      const outcome = await services.eventAccess.selected[action](by, bot.id, ids.toReversed())
      const { stopped, ...counts } = outcome
      request.log.info({ bot: bot.id, user: by.userId, action, ...counts }, 'selected events changed')
      if (stopped !== undefined) {
        const fault = html`<p>${words.replayed(outcome.done)} ${deliveryWords.refused[stopped]}</p>`
        return sendList(services, visit, query, { status: 503, fault })
      }
      return redirect(back, selectionDone[action](counts.done, counts.skipped))
    },
  )
}

function askToDiscard(visit: BotVisit, ids: readonly string[], back: string): FastifyReply {
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`
  return ask(visit, questionIn(botTrail(visit.bot, 'deliveries', back)), {
    title: words.ask(ids.length),
    effect: [
      t`Selected webhooks that are waiting or dead letters are deleted with their content. Other webhooks don’t change.`,
      cannotBeUndone,
    ],
    fields: [
      hidden('list', back.includes('?') ? back.slice(back.indexOf('?')) : ''),
      hidden('action', 'discard'),
      hidden('confirmed', 'yes'),
      ...ids.map((id) => hidden('event', id)),
    ],
    submit: t`Discard selected`,
  })
}

function actionIn(request: FastifyRequest): 'replay' | 'discard' | undefined {
  const action = formText(request, 'action')
  return action === 'replay' || action === 'discard' ? action : undefined
}
