import type { FastifyError, FastifyPluginAsync } from 'fastify'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { deadLettersBy } from '../../domain/webhooks/event-log.ts'
import { pageOf, readListChoice } from '../../pages/components/list.ts'
import { takeForms } from '../../pages/form-posts.ts'
import { deadLetterRoutes, selectionRoutes } from './deliveries/bulk-routes.ts'
import { deliveryRoutes } from './deliveries/delivery.ts'
import { chartHours, type DeliveryServices } from './deliveries/delivery-data.ts'
import { listRoutes } from './deliveries/list.ts'
import { refusedRoutes } from './deliveries/refused-webhooks.ts'
import { type FlowServices, flowRoutes } from './flows/routes.ts'
import { flowManagementRoutes, flowSettingsRoutes } from './flows/settings-routes.ts'
import { flowTestRoutes } from './flows/test-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { logRoutes } from './logs.ts'
import { botRoutes, sendRefusal } from './on-bot.ts'
import { botListPage, botSorts, chosenBots, totalsOf } from './overview/bot-list-page.ts'
import { loadOverview, overviewPage } from './overview/overview-page.ts'
import { type CoworkerServices, coworkerRoutes } from './people/coworkers.ts'
import { invitationRoutes } from './people/invitations.ts'
import { type RuntimeServices, runtimeRoutes } from './runtimes/routes.ts'
import { settingsRoutes } from './settings.ts'

type OwnerBotsServices = CoworkerServices & FlowServices & DeliveryServices & RuntimeServices & { baseUrl: string }

/** Registers `/bots` and the pages below it on the base surface, for bot owners and collaborators. */
export function ownerBotsSurface(services: OwnerBotsServices): FastifyPluginAsync {
  return async (app) => {
    await takeForms(app)
    app.setErrorHandler(async (error: FastifyError | BotRefusal, request, reply) => {
      // Errors other than refusals go to the listener's error handler.
      if (!(error instanceof BotRefusal)) throw error
      return sendRefusal(services, error, request, reply)
    })

    app.get(
      '/bots',
      services.guard.signedIn(async ({ session, person, request, send, done }) => {
        const all = await services.bots.ownStatus.list(session.userId)
        const ids = all.map(({ bot }) => bot.id)
        const [waiting, deadLetters] = await Promise.all([
          services.eventAccess.unfinishedOf(ids),
          services.eventAccess.deadLetters(ids, chartHours),
        ])
        const counts = { waiting, dead: deadLettersBy('botId', deadLetters) }
        const choice = readListChoice(request.query, botSorts)
        const found = chosenBots(all, counts, choice)
        const part = pageOf(found, limits.botsPerPage, request)
        const nowMs = services.clock.nowMs()
        const shown = part.rows.map(({ bot, reportedAtMs }) => ({ ...bot, reportedAtMs }))
        const view = { person, ...part, found: found.length, all: all.length, choice, ...counts, done, nowMs }
        const hours = await services.bots.history.hoursOf(shown, nowMs)
        return send(botListPage({ ...view, ...totalsOf(all, counts), hours }))
      }),
    )
    botRoutes(app, services).get('/bots/:botId', 'see', async (visit) => {
      const data = await loadOverview(services, visit)
      return visit.send(overviewPage({ ...visit, ...data, baseUrl: services.baseUrl }))
    })
    settingsRoutes(app, services)
    coworkerRoutes(app, services)
    invitationRoutes(app, services)
    flowRoutes(app, services)
    flowSettingsRoutes(app, services)
    flowManagementRoutes(app, services)
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
