import type { FastifyError, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { BotAction } from '../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import { clientAddressOf, languageOf } from '../../http/request-origin.ts'
import { takeForms } from '../../pages/form-posts.ts'
import { showPage } from '../../pages/form-routes.ts'
import type { Html } from '../../pages/html.ts'
import { type Look, liveStreams } from '../../pages/live-streams.ts'
import { type BotPageServices, type BotVisit, onBot, sendNotFound, sendRefusal } from './bot-pages.ts'
import { deadLetterRoutes, selectionRoutes } from './deliveries/bulk-routes.ts'
import { deliveryParts, deliveryRoutes } from './deliveries/delivery.ts'
import { loadDelivery, loadList } from './deliveries/delivery-data.ts'
import { listRoutes, readList } from './deliveries/list.ts'
import { liveParts } from './deliveries/list-parts.ts'
import { isLive } from './deliveries/list-query.ts'
import { refusedRoutes } from './deliveries/refused-webhooks.ts'
import { flowListRoutes } from './flows/flow-list.ts'
import { flowRoutes, flowSettingsRoutes } from './flows/routes.ts'
import { flowTestRoutes } from './flows/test-routes.ts'
import { isLiveLog, logEntries, logParts, logRoutes, readLogQuery } from './logs.ts'
import { botListRoute } from './overview/bot-list-page.ts'
import { loadOverview, overviewPage } from './overview/overview-page.ts'
import { coworkerRoutes } from './people/coworkers.ts'
import { invitationRoutes } from './people/invitations.ts'
import { runtimeRoutes } from './runtimes/runtimes.ts'
import { settingsRoutes } from './settings.ts'

/** Registers `/bots` and the pages below it on the base surface, for bot owners and collaborators. */
export function ownerBotsSurface(services: BotPageServices): FastifyPluginAsync {
  return async (app) => {
    takeForms(app)
    app.setErrorHandler(async (error: FastifyError | BotRefusal, _request, reply) => {
      // Errors other than refusals go to the listener's error handler.
      if (!(error instanceof BotRefusal)) throw error
      return sendRefusal(services, error, reply)
    })

    botListRoute(app, services)
    showPage(app, '/bots/:botId', onBot(services, 'see'), async (visit) =>
      visit.send(overviewPage({ ...visit, ...(await loadOverview(visit)) })),
    )
    settingsRoutes(app, services)
    coworkerRoutes(app, services)
    invitationRoutes(app, services)
    flowListRoutes(app, services)
    flowRoutes(app, services)
    flowSettingsRoutes(app, services)
    flowTestRoutes(app, services)
    listRoutes(app, services)
    refusedRoutes(app, services)
    selectionRoutes(app, services)
    deadLetterRoutes(app, services)
    deliveryRoutes(app, services)
    liveRoutes(app, services)
    logRoutes(app, services)
    runtimeRoutes(app, services)
  }
}

/**
 * Registers the streams that keep the list of webhooks, a webhook's page and a bot's log up to date. Session and
 * permissions are checked again at each update. If no stream can be opened, the page reloads its parts every 15 seconds.
 */
function liveRoutes(app: FastifyInstance, services: BotPageServices): void {
  const streams = liveStreams(app, {
    most: { total: limits.deliveryStreamsMax, address: limits.deliveryStreamsPerAddress },
    pollMs: limits.deliveryStreamPollMs,
    clock: services.clock,
    fault: 'delivery page update failed',
  })

  /** @param partsOf returns what renders the page's live parts, or `undefined` if the page isn't live. */
  function live(path: string, action: BotAction, partsOf: (visit: BotVisit) => Promise<PartsOf | undefined>): void {
    const open = async (visit: BotVisit) => {
      const { bot, by, request, reply, session, person } = visit
      const parts = await partsOf(visit)
      if (parts === undefined) return sendNotFound(visit)
      const address = clientAddressOf(request)
      if (streams.refusal(address) !== undefined) return reply.code(503).header('retry-after', '60').send()
      reply.hijack()
      const look = async () => {
        const access = await services.bots.access.demand(by.userId, bot.id, action)
        return lookOf(await parts({ ...visit, ...access, nowMs: services.clock.nowMs() }), person.formToken)
      }
      const page = { key: `${session.number} ${request.url}`, look: () => whilePermitted(visit, look) }
      await streams.open(page, languageOf(request), address, reply.raw)
      return reply
    }
    showPage(app, path, onBot(services, action), open, { exposeHeadRoute: false })
  }

  live('/bots/:botId/deliveries/live', 'read-deliveries', async (opened) => {
    const query = await readList(opened)
    if (query === undefined || !isLive(query)) return undefined
    return async (visit) => {
      const data = { ...visit, ...(await loadList(visit, query)) }
      return Object.fromEntries(Object.entries(liveParts).map(([name, part]) => [name, part(data)]))
    }
  })

  live('/bots/:botId/deliveries/:eventId/live', 'read-bodies', async () => async (visit) => {
    return deliveryParts({ ...visit, ...(await loadDelivery(visit)) })
  })

  live('/bots/:botId/logs/live', 'read-logs', async (opened) => {
    const query = readLogQuery(opened)
    if (query === 'unknown' || !isLiveLog(query)) return undefined
    return async (visit) => logParts({ ...visit, query, entries: await logEntries(visit, query) })
  })
}

type PartsOf = (visit: BotVisit) => Promise<Record<string, Html>>

/** Returns `undefined`, which ends the stream, once the reader may no longer see the page or the event is gone. */
async function whilePermitted(
  { services, request }: BotVisit,
  look: () => Promise<Look | undefined>,
): Promise<Look | undefined> {
  try {
    return (await services.guard.isStillSignedIn(request)) ? await look() : undefined
  } catch (error) {
    if (error instanceof BotRefusal || error instanceof EventRefusal) return undefined
    throw error
  }
}

/** Uses the markup of each part as its version. */
function lookOf(parts: Record<string, Html>, formToken: string | undefined): Look {
  return {
    versions: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.in('en', formToken)])),
    parts: async (names, language) =>
      Object.fromEntries(names.flatMap((name) => (parts[name] ? [[name, parts[name].in(language, formToken)]] : []))),
  }
}
