import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import { EventRefusal, type EventRefusalReason } from '../../../domain/webhooks/event-changes.ts'
import { formPost, type Rejection } from '../../../pages/form-routes.ts'
import type { Words } from '../../../pages/html.ts'
import { type BotVisit, botRoutes, onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { botDone } from '../words.ts'
import { type DeliveryServices, loadDelivery } from './delivery-data.ts'
import { askToDiscard, deliveryPage } from './delivery-page.ts'
import { deliveryWords } from './delivery-words.ts'
import { filterOf, noFilter } from './list-query.ts'
import { readList } from './list-routes.ts'

/** Registers the page of a webhook, and the page's forms. */
export function deliveryRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { get } = botRoutes(app, services)
  const { eventAccess } = services

  get('/bots/:botId/deliveries/:eventId', 'read-bodies', async (visit) => sendEvent(services, visit))

  // Sent as a download, so that browsers neither render it nor run its scripts.
  get('/bots/:botId/deliveries/:eventId/body', 'read-bodies', (visit) =>
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
  )

  const onEvent = onBot(services, { action: 'replay', page: pageAt('/bots/:botId/deliveries/:eventId') })
  const refused = {
    errors: eventErrors,
    show: (visit: BotVisit, rejection: Rejection) =>
      rejection.status === 404 ? sendNotFound(visit) : sendEvent(services, visit, rejection),
  }

  formPost(app, '/bots/:botId/deliveries/:eventId/replay', onEvent, {
    ...refused,
    async post(visit) {
      const { bot, by, request, redirect } = visit
      const eventId = eventIdIn(visit)
      const id = await eventAccess.replay(by, bot.id, eventId)
      request.log.info({ bot: bot.id, user: by.userId, event: eventId, replay: id }, 'event replayed')
      const to = mayDo(visit, 'read-bodies') ? `/${id}` : ''
      return redirect(`/bots/${bot.id}/deliveries${to}`, botDone.replayed)
    },
  })

  formPost(app, '/bots/:botId/deliveries/:eventId/try-now', onEvent, {
    ...refused,
    async post(visit) {
      const { bot, by, request, reply, redirect } = visit
      const eventId = eventIdIn(visit)
      const address = `/bots/${bot.id}/deliveries/${eventId}`
      const outcome = await eventAccess.tryNow(by, bot.id, eventId)
      request.log.info({ bot: bot.id, user: by.userId, event: eventId, outcome }, 'event made due')
      // `outcome` differs if a runtime is already processing the event. The page shows that state, so it needs no
      // message.
      return outcome === 'due' ? redirect(address, botDone.triedNow) : reply.redirect(address, 303)
    },
  })

  get('/bots/:botId/deliveries/:eventId/discard', 'replay', (visit) =>
    orNotFound(visit, async () => {
      const delivery = await loadDelivery(services, visit)
      const { state: is } = delivery.event
      if (is === 'leased') return sendEvent(services, visit, rejections['in-process'])
      if (is === 'done') return sendEvent(services, visit, rejections.finished)
      return askToDiscard(visit, delivery)
    }),
  )

  formPost(app, '/bots/:botId/deliveries/:eventId/discard', onBot(services, 'replay'), {
    ...refused,
    async post(visit) {
      const { bot, by, request, redirect } = visit
      const was = await eventAccess.discard(by, bot.id, eventIdIn(visit))
      request.log.info({ bot: bot.id, user: by.userId, event: eventIdIn(visit), was }, 'event discarded')
      return redirect(`/bots/${bot.id}/deliveries?state=${was}`, botDone.discarded)
    },
  })
}

const refusalWords = deliveryWords.refused
const rejection = (status: number, message: Words): Rejection => ({ status, errors: [{ message }] })
const rejections: Record<Exclude<EventRefusalReason, 'event-unknown'>, Rejection> = {
  'in-process': rejection(422, refusalWords['in-process']),
  finished: rejection(422, refusalWords.finished),
  'behind-another': rejection(422, refusalWords['behind-another']),
  'queue-full': rejection(503, refusalWords['queue-full']),
  'gateway-unavailable': rejection(503, refusalWords['gateway-unavailable']),
}

function eventErrors(error: unknown, { request }: BotVisit): Rejection {
  if (!(error instanceof EventRefusal)) throw error
  request.log.info({ reason: error.reason, detail: error.detail }, 'event action refused')
  return error.reason === 'event-unknown' ? { status: 404, errors: [] } : rejections[error.reason]
}

async function sendEvent(services: DeliveryServices, visit: BotVisit, refused?: Rejection): Promise<FastifyReply> {
  return orNotFound(visit, async () => {
    const { bot, by, nowMs, send } = visit
    const query = (await readList(services, visit)) ?? noFilter
    const [delivery, neighbours] = await Promise.all([
      loadDelivery(services, visit),
      services.eventAccess.neighbours(by.userId, bot.id, filterOf(query, nowMs), eventIdIn(visit)),
    ])
    const { apiUrl } = services
    const view = { ...visit, ...delivery, apiUrl, query, neighbours, fault: refused?.errors[0]?.message }
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
