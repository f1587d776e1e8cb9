import type { FastifyError, FastifyPluginAsync } from 'fastify'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import { takeForms } from '../../pages/form-posts.ts'
import { deadLetterRoutes, selectionRoutes } from './deliveries/bulk-routes.ts'
import { deliveryRoutes } from './deliveries/delivery.ts'
import type { DeliveryServices } from './deliveries/delivery-data.ts'
import { listRoutes } from './deliveries/list.ts'
import { refusedRoutes } from './deliveries/refused-webhooks.ts'
import { flowListRoutes } from './flows/flow-list.ts'
import { type FlowServices, flowRoutes } from './flows/routes.ts'
import { flowSettingsRoutes } from './flows/settings-routes.ts'
import { flowTestRoutes } from './flows/test-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { logRoutes } from './logs.ts'
import { botRoutes, sendRefusal } from './on-bot.ts'
import { botListRoute } from './overview/bot-list-page.ts'
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

    botListRoute(app, services)
    botRoutes(app, services).get('/bots/:botId', 'see', async (visit) => {
      const data = await loadOverview(services, visit)
      return visit.send(overviewPage({ ...visit, ...data, baseUrl: services.baseUrl }))
    })
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
