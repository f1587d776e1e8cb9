import type { FastifyInstance } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids.ts'
import { sendPage } from '../../../pages/page.ts'
import { type BotVisit, onBot, sendNotFound } from '../on-bot.ts'
import { deliveriesPage } from './deliveries-page.ts'
import { deliveriesDone } from './done-words.ts'
import { exportFile } from './export-file.ts'
import { type DeliveryServices, loadList } from './list-data.ts'
import { filterOf, type ListQuery, readListQuery } from './list-query.ts'

/** Registers the list of a bot's webhooks and its exports. */
export function listRoutes(app: FastifyInstance, services: DeliveryServices): void {
  app.get(
    '/bots/:botId/deliveries',
    onBot(services, 'read-deliveries', async (visit) => {
      const query = await readList(services, visit)
      if (query === undefined) return sendNotFound(visit)
      return sendList(services, visit, query)
    }),
  )

  for (const form of ['csv', 'ndjson'] as const) {
    app.get(
      `/bots/:botId/deliveries/export.${form}`,
      { exposeHeadRoute: false },
      onBot(services, 'read-deliveries', async (visit) => {
        const { bot, by, nowMs, reply, request } = visit
        const query = await readList(services, visit)
        if (query === undefined) return sendNotFound(visit)
        const batches = services.deliveryList.export(by.userId, bot.id, filterOf(query, nowMs))
        request.log.info({ bot: bot.id, user: by.userId, form }, 'deliveries exported')
        return reply
          .headers({
            'content-type': form === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
            'content-disposition': `attachment; filename="deliveries-${bot.id}.${form}"`,
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-store',
          })
          .send(exportFile(form, batches))
      }),
    )
  }
}

/** Sends the list. After a rejected form, shows the form's error above it. */
export async function sendList(
  services: DeliveryServices,
  visit: BotVisit,
  query: ListQuery,
  refused?: { status: number; fault: Parameters<typeof deliveriesPage>[0]['fault'] },
) {
  const { bot, by, request, reply } = visit
  const dead = { flowId: query.flowId, state: 'dead' } as const
  const [data, deadLetters] = await Promise.all([
    loadList(services, visit, query),
    services.deliveryLog.page(by.userId, bot.id, dead, { most: 1 }),
  ])
  const done = deliveriesDone(services.flash.take(request, reply))
  const hasDeadLetters = deadLetters.events.length > 0
  const page = deliveriesPage({ ...visit, ...data, hasDeadLetters, fault: refused?.fault, done })
  return sendPage(reply, page, { status: refused?.status ?? 200 })
}

/** Reads the list's query from a URL. Returns `undefined` if a value is unknown, or the flow doesn't exist. */
export async function readList(
  services: DeliveryServices,
  visit: BotVisit,
  query: unknown = visit.request.query,
): Promise<ListQuery | undefined> {
  const fields = query as Record<string, unknown>
  const flow = await flowInFilter(services, visit, fields.flow)
  if (flow === 'unknown') return undefined
  const read = readListQuery(fields, flow?.id)
  return read === 'unknown' ? undefined : read
}

/**
 * Returns the flow chosen in a filter. Returns `undefined` (all flows) if none is chosen, and `unknown` if the flow
 * does not exist.
 */
export async function flowInFilter(
  { bots }: DeliveryServices,
  { bot }: BotVisit,
  named: unknown,
): Promise<Flow | 'unknown' | undefined> {
  if (named === undefined || named === '') return undefined
  const id = typeof named === 'string' ? parseFlowId(named) : undefined
  return (id && (await bots.flows.find(bot.id, id))) ?? 'unknown'
}
