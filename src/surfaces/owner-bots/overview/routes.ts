import type { FastifyInstance } from 'fastify'
import { sendPage } from '../../../pages/page.ts'
import type { DeliveryServices } from '../deliveries/list-data.ts'
import { onBot } from '../on-bot.ts'
import { loadOverview } from './overview-data.ts'
import { overviewPage } from './overview-page.ts'

/** Registers `/bots/{botId}`. */
export function overviewRoutes(app: FastifyInstance, services: DeliveryServices & { baseUrl: string }): void {
  const { flash, baseUrl } = services

  app.get(
    '/bots/:botId',
    onBot(services, 'see', async (visit) => {
      const data = await loadOverview(services, visit)
      const done = flash.take(visit.request, visit.reply)
      return sendPage(visit.reply, overviewPage({ ...visit, ...data, done, baseUrl }))
    }),
  )
}
