import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { iso, isoOrNull } from '../../../api/engine/schemas.ts'
import { stateNames } from '../../../api/resources/delivery-records.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids.ts'
import type { Language } from '../../../domain/language.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'
import { csvLine, csvNote, exportHeaders, truncationLine } from '../../../http/export-lines.ts'
import { languageOf } from '../../../http/request-origin.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { formText } from '../../../pages/form-posts.ts'
import { t } from '../../../pages/html.ts'
import { type BotVisit, botRoutes, sendNotFound } from '../on-bot.ts'
import { deliveriesPage } from './deliveries-page.ts'
import { type DeliveryServices, loadList } from './delivery-data.ts'
import { filterOf, type ListQuery, readListQuery } from './list-query.ts'

export function listRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { get } = botRoutes(app, services)
  get('/bots/:botId/deliveries', 'read-deliveries', async (visit) => {
    const query = await readList(services, visit)
    if (query === undefined) return sendNotFound(visit)
    return sendList(services, visit, query)
  })

  for (const form of ['csv', 'ndjson'] as const) {
    const sendExport = async (visit: BotVisit) => {
      const { bot, by, nowMs, reply, request } = visit
      const query = await readList(services, visit)
      if (query === undefined) return sendNotFound(visit)
      const batches = services.eventAccess.export(by.userId, bot.id, filterOf(query, nowMs), query.before)
      request.log.info({ bot: bot.id, user: by.userId, form }, 'deliveries exported')
      return reply
        .headers(exportHeaders(form, `deliveries-${bot.id}`))
        .send(exportFile(form, batches, languageOf(request)))
    }
    get(`/bots/:botId/deliveries/export.${form}`, 'read-deliveries', sendExport, { exposeHeadRoute: false })
  }
}

/** Sends the list. After a rejected form, shows the form's error above it. */
export async function sendList(
  services: DeliveryServices,
  visit: BotVisit,
  query: ListQuery,
  refused?: { status: number; fault: Parameters<typeof deliveriesPage>[0]['fault'] },
) {
  const data = await loadList(services, visit, query)
  return visit.send(deliveriesPage({ ...visit, ...data, fault: refused?.fault }), refused?.status)
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

/** Maximum length of the list's query in a form. A search text of 200 characters takes at most 1,800 in a URL. */
const listQueryMaxCharacters = 4_096

/** Reads the list's query from the field of a form. Returns `undefined` as {@link readList} does. */
export async function readPostedList(services: DeliveryServices, visit: BotVisit): Promise<ListQuery | undefined> {
  const list = formText(visit.request, 'list')
  if (list.length > listQueryMaxCharacters) return undefined
  return readList(services, visit, Object.fromEntries(new URLSearchParams(list)))
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

/** Returns the members of an exported webhook, in the order of the CSV columns. */
function fieldsOf(event: EventSummary): Record<string, string | number | null> {
  const { acceptedAtMs, finishedAtMs } = event
  return {
    id: event.id,
    receivedAt: iso(acceptedAtMs),
    flowId: event.flowId,
    path: event.path,
    state: stateNames[event.state],
    attempts: event.attempts,
    finishedAt: isoOrNull(finishedAtMs),
    durationMs: finishedAtMs === undefined ? null : finishedAtMs - acceptedAtMs,
    bodyBytes: event.bodyBytes,
    lastError: event.lastError ?? null,
    deadBecause: event.deadBecause ?? null,
    replayOf: event.replayOf ?? null,
    replayedAs: event.replayedAs ?? null,
  }
}

const columns = [
  ...['id', 'receivedAt', 'flowId', 'path', 'state', 'attempts', 'finishedAt', 'durationMs', 'bodyBytes'],
  ...['lastError', 'deadBecause', 'replayOf', 'replayedAs'],
]

/**
 * Streams the events as CSV (RFC 4180) with a header line, or as NDJSON with one object per line. If the export ends at
 * its limit, the last line says so.
 */
function exportFile(
  form: 'csv' | 'ndjson',
  batches: ReturnType<DeliveryServices['eventAccess']['export']>,
  language: Language,
): Readable {
  async function* lines() {
    if (form === 'csv') yield csvLine(columns)
    for await (const { events, continuesBefore } of batches) {
      yield events
        .map(fieldsOf)
        .map((fields) =>
          form === 'csv' ? csvLine(columns.map((column) => fields[column] ?? null)) : `${JSON.stringify(fields)}\n`,
        )
        .join('')
      if (continuesBefore === undefined) continue
      yield form === 'csv'
        ? csvNote(
            columns,
            String(
              t`The export ends here, at its limit of ${countWords(limits.eventsExportedMax)} webhooks. For older ones, add before=${continuesBefore} to the address of the export.`.in(
                language,
              ),
            ),
          )
        : truncationLine({ limit: limits.eventsExportedMax, before: continuesBefore })
    }
  }
  return Readable.from(lines())
}
