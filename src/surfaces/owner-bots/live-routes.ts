import type { FastifyInstance, FastifyReply } from 'fastify'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import { clientAddressOf, languageOf } from '../../http/request-origin.ts'
import { StreamShares } from '../../http/stream-shares.ts'
import type { Html } from '../../pages/html.ts'
import { LiveStreams, type Look } from '../../pages/live-streams.ts'
import { type DeliveryServices, loadDelivery, loadList } from './deliveries/delivery-data.ts'
import { deliveryParts } from './deliveries/delivery-page.ts'
import { liveParts } from './deliveries/list-parts.ts'
import { isLive } from './deliveries/list-query.ts'
import { readList } from './deliveries/list-routes.ts'
import { isLiveLog, logParts, readLogQuery } from './log-page.ts'
import { logEntries } from './log-routes.ts'
import { type BotVisit, onBot, sendNotFound } from './on-bot.ts'

/**
 * Registers the streams that keep the list of webhooks, a webhook's page and a bot's log up to date. Session and permissions are
 * checked again at each update. If no further stream can be opened, the page reloads its parts every 15 seconds.
 */
export function liveRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const shares = new StreamShares({ total: limits.deliveryStreamsMax, address: limits.deliveryStreamsPerAddress })
  const streams = new LiveStreams({
    shares,
    pollMs: limits.deliveryStreamPollMs,
    clock: services.clock,
    onFault: (error) => app.log.error({ err: error }, 'delivery page update failed'),
  })
  app.addHook('preClose', (done) => {
    streams.close()
    done()
  })

  async function open(visit: BotVisit, look: () => Promise<Look | undefined>): Promise<FastifyReply> {
    const { request, reply, session } = visit
    const address = clientAddressOf(request)
    if (shares.refusal({ address }) !== undefined) return reply.code(503).header('retry-after', '60').send()
    reply.hijack()
    const page = { key: `${session.number} ${request.url}`, look: () => whilePermitted(services, visit, look) }
    await streams.open(page, languageOf(request), address, reply.raw)
    return reply
  }

  app.get(
    '/bots/:botId/deliveries/live',
    { exposeHeadRoute: false },
    onBot(services, 'read-deliveries', async (visit) => {
      const query = await readList(services, visit)
      if (query === undefined || !isLive(query)) return sendNotFound(visit)
      return open(visit, async () => {
        const { bot, by, clock } = { ...visit, ...services }
        const access = await services.bots.access.demand(by.userId, bot.id, 'read-deliveries')
        const view = { ...visit, ...access, nowMs: clock.nowMs() }
        const data = { ...view, ...(await loadList(services, view, query)) }
        return lookOf(Object.fromEntries(Object.entries(liveParts).map(([name, part]) => [name, part(data)])))
      })
    }),
  )

  app.get(
    '/bots/:botId/deliveries/:eventId/live',
    { exposeHeadRoute: false },
    onBot(services, 'read-bodies', async (visit) =>
      open(visit, async () => {
        const { bot, by, clock } = { ...visit, ...services }
        const access = await services.bots.access.demand(by.userId, bot.id, 'read-bodies')
        const view = { ...visit, ...access, nowMs: clock.nowMs() }
        return lookOf(deliveryParts({ ...view, ...(await loadDelivery(services, view)) }), visit.person.formToken)
      }),
    ),
  )

  app.get(
    '/bots/:botId/logs/live',
    { exposeHeadRoute: false },
    onBot(services, 'read-logs', async (visit) => {
      const query = readLogQuery(visit.request.query as Record<string, unknown>)
      if (query === 'unknown' || !isLiveLog(query)) return sendNotFound(visit)
      return open(visit, async () => {
        const { bot, by, clock } = { ...visit, ...services }
        const access = await services.bots.access.demand(by.userId, bot.id, 'read-logs')
        const view = { ...visit, ...access, nowMs: clock.nowMs() }
        return lookOf(logParts({ ...view, query, entries: await logEntries(services, view, query) }))
      })
    }),
  )
}

/** Returns `undefined`, which ends the stream, once the reader may no longer see the page or the event is gone. */
async function whilePermitted(
  { guard }: DeliveryServices,
  { request }: BotVisit,
  look: () => Promise<Look | undefined>,
): Promise<Look | undefined> {
  try {
    return (await guard.isStillSignedIn(request)) ? await look() : undefined
  } catch (error) {
    if (error instanceof BotRefusal || error instanceof EventRefusal) return undefined
    throw error
  }
}

/** Uses the markup of each part as its version. */
function lookOf(parts: Record<string, Html>, formToken?: string): Look {
  return {
    versions: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.in('en', formToken)])),
    parts: async (names, language) =>
      Object.fromEntries(names.flatMap((name) => (parts[name] ? [[name, parts[name].in(language, formToken)]] : []))),
  }
}
