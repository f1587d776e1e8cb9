import type { FastifyInstance } from 'fastify'
import { newFlowId } from '../../../domain/ids.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import { tryChange } from '../bot-errors.ts'
import { onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { removeFlowPage } from './confirm-pages.ts'
import { type FlowServices, onFlow, sendFlow, sendFlows } from './routes.ts'

/** Registers the forms with which owners create and remove flows. Only used if the operator allows it. */
export function flowManagementRoutes(app: FastifyInstance, services: FlowServices): void {
  const { flows } = services.bots
  if (!flows.ownersManage) return

  app.post(
    '/bots/:botId/flows',
    onBot(services, { action: 'manage-flows', page: pageAt('/bots/:botId/flows') }, async (visit) => {
      const { bot, by, request } = visit
      const input = { name: formText(request, 'name'), path: formText(request, 'path').trim() }
      const change = { name: input.name, webhook: { path: input.path } }
      const { errors, result: made } = await tryChange(() => flows.putAsOwner(bot.id, newFlowId(), change, by))
      if (errors !== undefined) return sendFlows(services, visit, { status: 422, errors, input })
      const { flow, clearTextKey } = made
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow created')
      return sendFlow(services, visit, flow, clearTextKey === undefined ? {} : { clearTextKey })
    }),
  )

  app.get(
    '/bots/:botId/flows/:flowId/removal',
    onFlow(services, 'manage-flows', async (visit, flow) => sendPage(visit.reply, removeFlowPage({ ...visit, flow }))),
  )

  app.post(
    '/bots/:botId/flows/:flowId/removal',
    onFlow(services, 'manage-flows', async (visit, flow) => {
      const { bot, by, request, reply } = visit
      if (!(await flows.removeAsOwner(bot.id, flow.id, by))) return sendNotFound(visit)
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow removed')
      return services.flash.redirect(reply, `/bots/${bot.id}/flows`, 'flow-removed')
    }),
  )
}
