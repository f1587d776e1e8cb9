import type { FastifyInstance, FastifyReply } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DeliveryLog } from '../../../domain/webhooks/delivery-log.ts'
import { deadLettersBy } from '../../../domain/webhooks/event-log.ts'
import type { RefusalLog } from '../../../domain/webhooks/refusal-log.ts'
import type { Webhooks } from '../../../domain/webhooks/webhooks.ts'
import { readListChoice } from '../../../pages/components/list-form.ts'
import { sendPage } from '../../../pages/page.ts'
import { type FormError, tryChange } from '../bot-errors.ts'
import { chartHours } from '../deliveries/delivery-data.ts'
import { keepsKeyOptional, keyBeforeIn, keyNumberIn } from '../key-form.ts'
import { type BotPageServices, type BotVisit, onBot, onFound, sendNotFound } from '../on-bot.ts'
import { pageOf } from '../pagination.ts'
import { endKeyPage, newKeyPage } from './confirm-pages.ts'
import { flowPage } from './flow-page.ts'
import type { FlowInput } from './flow-settings-sections.ts'
import { chosenFlows, flowSorts, flowsPage, type NewFlowInput } from './flows-page.ts'
import { mayTest } from './may-test.ts'

export interface FlowServices extends BotPageServices {
  webhooks: Webhooks
  apiUrl: string
  portalUrl: string
  refusalLog: RefusalLog
  deliveryLog: DeliveryLog
}

/** Registers `/bots/{botId}/flows`: webhook URLs and keys. */
export function flowRoutes(app: FastifyInstance, services: FlowServices): void {
  const { flows } = services.bots

  app.get(
    '/bots/:botId/flows',
    onBot(services, 'see', async (visit) => sendFlows(services, visit)),
  )

  app.get(
    '/bots/:botId/flows/:flowId',
    onFlow(services, 'see', async (visit, flow) => sendFlow(services, visit, flow)),
  )

  app.get(
    '/bots/:botId/flows/:flowId/key',
    onFlow(services, 'change-keys', async (visit, flow) => sendPage(visit.reply, newKeyPage({ ...visit, flow }))),
  )

  app.post(
    '/bots/:botId/flows/:flowId/key',
    onFlow(services, { action: 'change-keys' }, async (visit, flow) => {
      const { bot, by, request } = visit
      const choices = { keyBefore: keyBeforeIn(visit), keepsOptional: keepsKeyOptional(visit) }
      const { errors, result: made } = await tryChange(() => flows.makeKey(bot.id, flow.id, { by, ...choices }))
      if (errors !== undefined) return sendFlow(services, visit, flow, { status: 422, errors })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow key created')
      return sendFlow(services, visit, made.flow, { clearTextKey: made.clearTextKey })
    }),
  )

  app.get(
    '/bots/:botId/flows/:flowId/keys/:number/end',
    onFlow(services, 'change-keys', async (visit, flow) => {
      const key = flow.webhook?.keys.find(({ number }) => number === keyNumberIn(visit))
      if (key === undefined) return sendNotFound(visit)
      return sendPage(visit.reply, endKeyPage({ ...visit, flow, key }))
    }),
  )

  app.post(
    '/bots/:botId/flows/:flowId/keys/:number/end',
    onFlow(services, 'change-keys', async (visit, flow) => {
      const { bot, by, request, reply } = visit
      const { errors } = await tryChange(() => flows.endKey(bot.id, flow.id, keyNumberIn(visit), { by }))
      if (errors !== undefined) return sendFlow(services, visit, flow, { status: 422, errors })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow key revoked')
      return services.flash.redirect(reply, `/bots/${bot.id}/flows/${flow.id}`, 'key-ended')
    }),
  )
}

function flowIn({ bots }: FlowServices, { bot, request }: BotVisit): Promise<Flow | undefined> {
  const { flowId } = request.params as { flowId: string }
  const id = parseFlowId(flowId)
  return id === undefined ? Promise.resolve(undefined) : bots.flows.find(bot.id, id)
}

/** Like `onBot`, but also passes the flow identified by the URL. */
export const onFlow = onFound(flowIn)

export async function sendFlows(
  { bots: { flows }, deliveryLog, apiUrl, flash }: FlowServices,
  visit: BotVisit,
  answer: { status?: number; errors?: readonly FormError[]; input?: NewFlowInput } = {},
): Promise<FastifyReply> {
  const all = await flows.list(visit.bot.id)
  const choice = readListChoice(visit.request.query, flowSorts)
  const dead = deadLettersBy('flowId', await deliveryLog.deadLetters([visit.bot.id], chartHours))
  const found = chosenFlows(all, dead, choice)
  const { status = 200, errors = [], input = { name: '', path: '' } } = answer
  const mayManage = flows.ownersManage && mayDo(visit, 'manage-flows')
  const done = flash.take(visit.request, visit.reply)
  const part = { ...pageOf(found, limits.flowsPerPage, visit.request), found: found.length, all: all.length, choice }
  const view = { ...visit, ...part, dead, apiUrl, mayManage, errors, input, done }
  return sendPage(visit.reply, flowsPage(view), { status })
}

export async function sendFlow(
  { bots: { flows }, apiUrl, portalUrl, flash, refusalLog }: FlowServices,
  visit: BotVisit,
  flow: Flow,
  answer: { status?: number; errors?: readonly FormError[]; clearTextKey?: string; input?: FlowInput } = {},
): Promise<FastifyReply> {
  const done = flash.take(visit.request, visit.reply)
  const { status = 200, errors = [], clearTextKey, input = {} } = answer
  const may = {
    keys: mayDo(visit, 'change-keys'),
    flows: mayDo(visit, 'change-flows'),
    test: flow.webhook !== null && mayTest(visit, flow.webhook),
    manage: flows.ownersManage && mayDo(visit, 'manage-flows'),
  }
  const { bot, by } = visit
  const refused = mayDo(visit, 'read-bodies')
    ? await refusalLog.list(by.userId, bot.id, flow.id, limits.refusedWebhooksShownOfFlow)
    : undefined
  const view = {
    ...visit,
    flow,
    refused,
    may,
    errors,
    input,
    clearTextKey,
    done: clearTextKey === undefined ? done : undefined,
    apiUrl,
    portalUrl,
  }
  return sendPage(visit.reply, flowPage(view), { status })
}
