import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-rights.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids.ts'
import { deliveriesPerPage } from '../../../domain/limits/limits.ts'
import {
  type BulkOutcome,
  type DeliveryLog,
  DeliveryLogRefusal,
  type DeliveryLogRefusalReason,
} from '../../../domain/webhooks/delivery-log.ts'
import { eventStates } from '../../../domain/webhooks/event-log.ts'
import { formText } from '../../../pages/form-fields.ts'
import type { Words } from '../../../pages/html.ts'
import { sendPage } from '../../../pages/page.ts'
import { type BotPageServices, type BotVisit, chosenFilter, onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { askBulkPage, bulkDonePage } from './bulk-pages.ts'
import { deliveriesPage, type Since, sinceHours } from './deliveries-page.ts'
import { deliveryPage, discardPage } from './delivery-page.ts'
import { deliveryWords } from './words.ts'

export interface DeliveryServices extends BotPageServices {
  deliveryLog: DeliveryLog
}

/**
 * Registers `/bots/{botId}/deliveries` and `/bots/{botId}/dead-letters`: the delivery log, replaying and discarding.
 */
export function deliveryRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { deliveryLog } = services

  app.get(
    '/bots/:botId/deliveries',
    onBot(services, 'read-deliveries', async (visit) => {
      const { bot, by, nowMs, request } = visit
      const query = request.query as Record<string, unknown>
      const flow = await flowInFilter(services, visit, query.flow)
      const state = chosenFilter(eventStates, query.state)
      const since = chosenFilter(Object.keys(sinceHours) as Since[], query.since)
      if (flow === 'unknown' || state === 'unknown' || since === 'unknown') return sendNotFound(visit)
      const flowId = flow?.id
      const hours = since && sinceHours[since]
      const sinceMs = hours === undefined ? undefined : nowMs - hours * 3_600_000
      const before = typeof query.before === 'string' && query.before !== '' ? query.before : undefined
      const filter = { flowId, state, sinceMs }
      const dead = { flowId, state: 'dead', sinceMs: undefined } as const
      const [page, counts, flows, deadLetters] = await Promise.all([
        deliveryLog.page(by.userId, bot.id, filter, { before, most: deliveriesPerPage }),
        deliveryLog.counts(by.userId, bot.id, flowId, 24),
        services.bots.flows.list(bot.id),
        deliveryLog.page(by.userId, bot.id, dead, { before: undefined, most: 1 }),
      ])
      const may = { open: mayDo(visit, 'read-bodies'), replay: mayDo(visit, 'replay') }
      const view = {
        ...visit,
        ...page,
        counts,
        flows,
        flowId,
        state,
        since: since ?? 'any',
        isFirst: before === undefined,
        hasDeadLetters: deadLetters.events.length > 0,
        may,
      }
      return sendPage(visit.reply, deliveriesPage({ ...view, done: services.flash.take(request, visit.reply) }))
    }),
  )

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
        const body = await deliveryLog.body(visit.by.userId, visit.bot.id, eventId)
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
    onBot(
      services,
      'replay',
      async (visit) => {
        const { bot, by, request, reply } = visit
        const eventId = eventIdIn(visit)
        try {
          const id = await deliveryLog.replay(by, bot.id, eventId)
          request.log.info({ bot: bot.id, user: by.userId, event: eventId, replay: id }, 'event replayed')
          const to = mayDo(visit, 'read-bodies') ? `/${id}` : ''
          return services.flash.redirect(reply, `/bots/${bot.id}/deliveries${to}`, 'replayed')
        } catch (error) {
          return sendRefused(services, visit, error)
        }
      },
      { page: pageAt('/bots/:botId/deliveries/:eventId') },
    ),
  )

  app.post(
    '/bots/:botId/deliveries/:eventId/try-now',
    onBot(
      services,
      'replay',
      async (visit) => {
        const { bot, by, request, reply } = visit
        const eventId = eventIdIn(visit)
        const address = `/bots/${bot.id}/deliveries/${eventId}`
        try {
          const outcome = await deliveryLog.tryNow(by, bot.id, eventId)
          request.log.info({ bot: bot.id, user: by.userId, event: eventId, outcome }, 'event made due')
          // If a runtime is already processing the event, the page shows that, so no message is needed.
          return outcome === 'due' ? services.flash.redirect(reply, address, 'tried-now') : reply.redirect(address, 303)
        } catch (error) {
          return sendRefused(services, visit, error)
        }
      },
      { page: pageAt('/bots/:botId/deliveries/:eventId') },
    ),
  )

  app.get(
    '/bots/:botId/deliveries/:eventId/discard',
    onBot(services, 'replay', (visit) =>
      orNotFound(visit, async () => {
        const event = await deliveryLog.event(visit.by.userId, visit.bot.id, eventIdIn(visit))
        if (event.state === 'leased') return sendEvent(services, visit, refusals['in-process'])
        if (event.state === 'done') return sendEvent(services, visit, refusals.finished)
        return sendPage(visit.reply, discardPage({ ...visit, event }))
      }),
    ),
  )

  app.post(
    '/bots/:botId/deliveries/:eventId/discard',
    onBot(services, 'replay', async (visit) => {
      const { bot, by, request, reply } = visit
      try {
        const was = await deliveryLog.discard(by, bot.id, eventIdIn(visit))
        request.log.info({ bot: bot.id, user: by.userId, event: eventIdIn(visit), was }, 'event discarded')
        return services.flash.redirect(reply, `/bots/${bot.id}/deliveries?state=${was}`, 'discarded')
      } catch (error) {
        return sendRefused(services, visit, error)
      }
    }),
  )

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

interface Refused {
  status: number
  message: Words
}

const refusalWords = deliveryWords.refused
const refusals: Record<Exclude<DeliveryLogRefusalReason, 'event-unknown'>, Refused> = {
  'in-process': { status: 422, message: refusalWords['in-process'] },
  finished: { status: 422, message: refusalWords.finished },
  'behind-another': { status: 422, message: refusalWords['behind-another'] },
  'queue-full': { status: 503, message: refusalWords['queue-full'] },
  'gateway-unavailable': { status: 503, message: refusalWords['gateway-unavailable'] },
}

/** Sends the event's page with the refusal's message, or the 404 page if the event doesn't exist. */
async function sendRefused(services: DeliveryServices, visit: BotVisit, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof DeliveryLogRefusal)) throw error
  visit.request.log.info({ reason: error.reason, detail: error.detail }, 'event action refused')
  if (error.reason === 'event-unknown') return sendNotFound(visit)
  return sendEvent(services, visit, refusals[error.reason])
}

async function sendEvent(
  { bots, deliveryLog, flash }: DeliveryServices,
  visit: BotVisit,
  refused?: Refused,
): Promise<FastifyReply> {
  return orNotFound(visit, async () => {
    const event = await deliveryLog.event(visit.by.userId, visit.bot.id, eventIdIn(visit))
    const flow = await bots.flows.find(visit.bot.id, event.flowId)
    const done = flash.take(visit.request, visit.reply)
    const view = { ...visit, event, flow, mayReplay: mayDo(visit, 'replay'), fault: refused?.message, done }
    return sendPage(visit.reply, deliveryPage(view), { status: refused?.status ?? 200 })
  })
}

async function orNotFound(visit: BotVisit, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DeliveryLogRefusal) || error.reason !== 'event-unknown') throw error
    return sendNotFound(visit)
  }
}

/**
 * Returns the flow chosen in a filter. Returns `undefined` (all flows) if none is chosen, and `unknown` if the flow
 * does not exist.
 */
async function flowInFilter(
  { bots }: DeliveryServices,
  { bot }: BotVisit,
  named: unknown,
): Promise<Flow | 'unknown' | undefined> {
  if (named === undefined || named === '') return undefined
  const id = typeof named === 'string' ? parseFlowId(named) : undefined
  return (id && (await bots.flows.find(bot.id, id))) ?? 'unknown'
}

function eventIdIn({ request }: { request: FastifyRequest }): string {
  return (request.params as { eventId: string }).eventId
}
