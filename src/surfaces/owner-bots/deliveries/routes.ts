import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import { EventRefusal, type EventRefusalReason } from '../../../domain/webhooks/event-changes.ts'
import type { Words } from '../../../pages/html.ts'
import { type BotVisit, onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { botDone } from '../words.ts'
import { type DeliveryServices, loadDelivery } from './delivery-data.ts'
import { askToDiscard, deliveryPage } from './delivery-page.ts'
import { deliveryWords } from './delivery-words.ts'
import { filterOf, noFilter } from './list-query.ts'
import { readList } from './list-routes.ts'

/** Registers the page of a webhook, and the page's forms. */
export function deliveryRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { eventAccess } = services

  app.get(
    '/bots/:botId/deliveries/:eventId',
    onBot(services, 'read-bodies', async (visit) => sendEvent(services, visit)),
  )

  // Sent as a download, so that browsers neither render it nor run its scripts.
  app.get(
    '/bots/:botId/deliveries/:eventId/body',
    onBot(services, 'read-bodies', (visit) =>
      orNotFound(visit, async () => {
        const eventId = eventIdIn(visit)
        const body = await eventAccess.body(visit.by.userId, visit.bot.id, eventId)
        return visit.reply
          .headers({
            'content-type': 'application/octet-stream',
            'content-disposition': `attachment; filename="${eventId}.bin"`,
            'x-content-type-options': 'nosniff',
            'content-security-policy': "default-src 'none'; sandbox",
            'cache-control': 'no-store',
          })
          .send(body)
      }),
    ),
  )

  app.post(
    '/bots/:botId/deliveries/:eventId/replay',
    onBot(services, { action: 'replay', page: pageAt('/bots/:botId/deliveries/:eventId') }, async (visit) => {
      const { bot, by, request, redirect } = visit
      const eventId = eventIdIn(visit)
      try {
        const id = await eventAccess.replay(by, bot.id, eventId)
        request.log.info({ bot: bot.id, user: by.userId, event: eventId, replay: id }, 'event replayed')
        const to = mayDo(visit, 'read-bodies') ? `/${id}` : ''
        return redirect(`/bots/${bot.id}/deliveries${to}`, botDone.replayed)
      } catch (error) {
        return sendRefused(services, visit, error)
      }
    }),
  )

  app.post(
    '/bots/:botId/deliveries/:eventId/try-now',
    onBot(services, { action: 'replay', page: pageAt('/bots/:botId/deliveries/:eventId') }, async (visit) => {
      const { bot, by, request, reply, redirect } = visit
      const eventId = eventIdIn(visit)
      const address = `/bots/${bot.id}/deliveries/${eventId}`
      try {
        const outcome = await eventAccess.tryNow(by, bot.id, eventId)
        request.log.info({ bot: bot.id, user: by.userId, event: eventId, outcome }, 'event made due')
        // `outcome` differs if a runtime is already processing the event. The page shows that state, so it needs no
        // message.
        return outcome === 'due' ? redirect(address, botDone.triedNow) : reply.redirect(address, 303)
      } catch (error) {
        return sendRefused(services, visit, error)
      }
    }),
  )

  app.get(
    '/bots/:botId/deliveries/:eventId/discard',
    onBot(services, 'replay', (visit) =>
      orNotFound(visit, async () => {
        const delivery = await loadDelivery(services, visit)
        const { state: is } = delivery.event
        if (is === 'leased') return sendEvent(services, visit, refusals['in-process'])
        if (is === 'done') return sendEvent(services, visit, refusals.finished)
        return askToDiscard(visit, delivery)
      }),
    ),
  )

  app.post(
    '/bots/:botId/deliveries/:eventId/discard',
    onBot(services, 'replay', async (visit) => {
      const { bot, by, request, redirect } = visit
      try {
        const was = await eventAccess.discard(by, bot.id, eventIdIn(visit))
        request.log.info({ bot: bot.id, user: by.userId, event: eventIdIn(visit), was }, 'event discarded')
        return redirect(`/bots/${bot.id}/deliveries?state=${was}`, botDone.discarded)
      } catch (error) {
        return sendRefused(services, visit, error)
      }
    }),
  )
}

interface Refused {
  status: number
  message: Words
}

const refusalWords = deliveryWords.refused
const refusals: Record<Exclude<EventRefusalReason, 'event-unknown'>, Refused> = {
  'in-process': { status: 422, message: refusalWords['in-process'] },
  finished: { status: 422, message: refusalWords.finished },
  'behind-another': { status: 422, message: refusalWords['behind-another'] },
  'queue-full': { status: 503, message: refusalWords['queue-full'] },
  'gateway-unavailable': { status: 503, message: refusalWords['gateway-unavailable'] },
}

/** Sends the event's page with the refusal's message, or the 404 page if the event doesn't exist. */
async function sendRefused(services: DeliveryServices, visit: BotVisit, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof EventRefusal)) throw error
  visit.request.log.info({ reason: error.reason, detail: error.detail }, 'event action refused')
  if (error.reason === 'event-unknown') return sendNotFound(visit)
  return sendEvent(services, visit, refusals[error.reason])
}

async function sendEvent(services: DeliveryServices, visit: BotVisit, refused?: Refused): Promise<FastifyReply> {
  return orNotFound(visit, async () => {
    const { bot, by, nowMs, send } = visit
    const query = (await readList(services, visit)) ?? noFilter
    const [delivery, neighbours] = await Promise.all([
      loadDelivery(services, visit),
      services.eventAccess.neighbours(by.userId, bot.id, filterOf(query, nowMs), eventIdIn(visit)),
    ])
    const { apiUrl } = services
    const view = { ...visit, ...delivery, apiUrl, query, neighbours, fault: refused?.message }
    return send(deliveryPage(view), refused?.status)
  })
}

async function orNotFound(visit: BotVisit, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EventRefusal) || error.reason !== 'event-unknown') throw error
    return sendNotFound(visit)
  }
}

function eventIdIn({ request }: { request: FastifyRequest }): string {
  return (request.params as { eventId: string }).eventId
}
