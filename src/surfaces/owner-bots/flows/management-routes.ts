import type { FastifyInstance } from 'fastify'
import { newFlowId } from '../../../domain/ids.ts'
import { formPost, question } from '../../../pages/form-routes.ts'
import { t } from '../../../pages/html.ts'
import { onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { botDone, botErrors, cannotBeUndone } from '../words.ts'
import { newFlowForm } from './flows-page.ts'
import { type FlowServices, flowFrame, onFlow, sendFlow, sendFlows } from './routes.ts'

/** Registers the forms with which owners create and remove flows. Only used if the operator allows it. */
export function flowManagementRoutes(app: FastifyInstance, services: FlowServices): void {
  const { flows } = services.bots
  if (!flows.ownersManage) return
  const page = pageAt('/bots/:botId/flows')

  formPost(app, '/bots/:botId/flows', onBot(services, { action: 'manage-flows', page }), {
    form: newFlowForm,
    errors: botErrors,
    show: (visit, rejected) => sendFlows(services, visit, rejected),
    async post(visit, { name, path }) {
      const { bot, by, request } = visit
      const { flow, clearTextKey } = await flows.putAsOwner(bot.id, newFlowId(), { name, webhook: { path } }, by)
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow created')
      return sendFlow(services, { ...visit, flow }, { clearTextKey })
    },
  })

  question(app, '/bots/:botId/flows/:flowId/removal', onFlow(services, 'manage-flows'), {
    frame: flowFrame,
    asks: ({ flow }) => ({
      title: t`Remove ${flow.name}?`,
      effect: [
        t`Webhooks to this flow are then rejected with 404. Webhooks already accepted are still delivered.`,
        cannotBeUndone,
      ],
      submit: t`Remove flow`,
    }),
    async post(visit) {
      const { bot, by, flow, request, redirect } = visit
      if (!(await flows.removeAsOwner(bot.id, flow.id, by))) return sendNotFound(visit)
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow removed')
      return redirect(`/bots/${bot.id}/flows`, botDone.flowRemoved)
    },
  })
}
