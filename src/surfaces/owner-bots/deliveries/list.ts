import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { listedDeliveryRecord } from '../../../api/resources/delivery-records.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids-and-secrets.ts'
import type { Language } from '../../../domain/language.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { EventAccess } from '../../../domain/webhooks/event-access.ts'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'
import { csvLine, csvNote, exportHeaders, truncationLine } from '../../../http/export-lines.ts'
import { languageOf } from '../../../http/request-origin.ts'
import { button, notice, postForm } from '../../../pages/components/elements.ts'
import { bytesWords, countWords, exactTime } from '../../../pages/components/figures.ts'
import { folded } from '../../../pages/components/list.ts'
import { copyBlock, copyField } from '../../../pages/components/secrets.ts'
import { selectField, textField } from '../../../pages/form.ts'
import { doneWith, formText } from '../../../pages/form-posts.ts'
import { showPage } from '../../../pages/form-routes.ts'
import { cut, type Html, html, plural, type Text, t, type Words } from '../../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, onBot, sendNotFound } from '../bot-pages.ts'
import { curlSample, webhookAddress } from '../flows/samples.ts'
import { type ListData, loadList } from './delivery-data.ts'
import { isEmpty, type ListView, liveParts, liveStatus } from './list-parts.ts'
import * as listQuery from './list-query.ts'

type DeliveriesView = BotVisit & ListData & { fault: Text | undefined }

function deliveriesPage(view: DeliveriesView): Html {
  const { query, fault } = view
  return botPartPage(view, {
    part: 'deliveries',
    styles: ['deliveries.css'],
    modules: eventsUrl(view) === undefined ? ['deliveries.js'] : ['live.js', 'deliveries.js'],
    canonical: `/bots/${view.bot.id}/deliveries${listQuery.queryText(query, { before: query.before })}`,
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
${isEmpty(view) && firstWebhook(view)}
<div class="card spread" data-live="chart">${liveParts.chart(view)}</div>
<nav class="chips spread" aria-label="${t`Filter by state`}" data-live="chips">${liveParts.chips(view)}</nav>
<div class="filters-of-list spread">${folded(filterForm(view), listQuery.isFiltered({ ...query, state: undefined, cause: undefined }))}</div>
<section class="stack tight spread" aria-labelledby="dead-letters" data-live="causes">${liveParts.causes(view)}</section>
<div class="spread">${listForm(view)}</div>
${pagination(view)}`,
  })
}

/** Renders what to do before the first webhook has arrived: the URL and a command. Styles hide it once one has. */
function firstWebhook({ bot, flows, refused, services }: DeliveriesView): Html {
  const flow = flows.find(({ webhook }) => webhook !== null)
  const address = flow?.webhook && webhookAddress(services.apiUrl, bot.id, flow.webhook.path)
  const command = flow?.webhook && address && curlSample(address, flow.webhook)
  const see =
    refused !== undefined &&
    refused > 0 &&
    html`<a href="/bots/${bot.id}/deliveries/refused">${t`Refused webhooks`}</a>`
  return html`<div class="card first-webhook"><h2>${t`No webhooks yet`}</h2>
${
  flow === undefined
    ? html`<p>${t.html`None of the bot’s <a href="/bots/${bot.id}/flows">flows</a> listens for webhooks.`}</p>`
    : html`<p>${t.html`Webhooks appear here with their attempts and results. Send the first one to the flow <a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>. Its page has the keys, and a test without them.`}</p>`
}
${address && copyField({ label: t`Webhook URL`, text: address })}
${command && copyBlock({ label: t`From a terminal`, text: command })}
${see && html`<p>${see}</p>`}</div>`
}

/** Returns the URL of the list's live updates, or `undefined` if the list isn't live. */
function eventsUrl({ bot, query }: ListView): string | undefined {
  return listQuery.isLive(query) ? `/bots/${bot.id}/deliveries/live${listQuery.queryText(query)}` : undefined
}

/** Hidden by the script, which takes the time in the browser's time zone. */
const inUtc = html`<span data-utc-only>(UTC)</span>`

const flowsToChoose = 50

function filterForm({ bot, flows, query, may }: DeliveriesView): Html {
  const { flowId, cause, since, state, from, until, search } = query
  const listening = flows.filter(({ webhook, id }) => webhook !== null || id === flowId).slice(0, flowsToChoose)
  const address = `/bots/${bot.id}/deliveries`
  const minute = (name: string, label: Words, value: string | undefined) =>
    html`<div class="field"><label for="${name}">${label}</label><input type="datetime-local" id="${name}" name="${name}" value="${value ?? ''}"></div>`
  return html`<form class="filter webhooks" method="get" action="${address}">${state !== undefined && html`<input type="hidden" name="state" value="${state}">`}${cause !== undefined && html`<input type="hidden" name="cause" value="${cause}">`}
${textField({ label: may.open ? t`Event ID or text in the body` : t`Event ID`, autocomplete: 'off' }).show('q', search)}
${selectField({
  label: t`Flow`,
  options: [{ value: '', label: t`All` }, ...listening.map(({ id, name }) => ({ value: id, label: cut(name, 20) }))],
}).show('flow', flowId ?? '')}
${selectField({
  label: t`Received`,
  options: Object.entries(listQuery.sinceWords).map(([value, label]) => ({ value, label })),
}).show('since', since)}
<div class="buttons">${button({ label: t`Apply filter`, tone: 'plain' })}</div>
<details class="reveal"${(from !== undefined || until !== undefined) && html` open`}><summary class="small">${t`Custom range`}</summary><div class="range">${minute('from', t`From ${inUtc}`, from)}${minute('until', t`To ${inUtc}`, until)}</div></details></form>`
}

function listForm(view: DeliveriesView): Html {
  const { bot, may, query } = view
  const list = html`<div class="stack tight" data-live="rows">${liveParts.rows(view)}</div>`
  if (!may.replay) return list
  return postForm({ action: `/bots/${bot.id}/deliveries/selection` }, listQuery.listField(query), list)
}

function pagination(view: DeliveriesView): Html {
  const { bot, query, events, searched } = view
  const address = `/bots/${bot.id}/deliveries`
  const exports = (['csv', 'ndjson'] as const).map(
    (form) =>
      html` <a href="${address}/export.${form}${listQuery.queryText(query)}" title="${t`Exports contain up to ${countWords(limits.eventsExportedMax)} webhooks, without their bodies.`}" download>${form.toUpperCase()}</a>`,
  )
  return html`${searched && searchedNote(searched)}
<div class="head-row spread"><div class="buttons pager" data-live="pager">${liveParts.pager(view)}</div>
<p class="soft small">${liveStatus(eventsUrl(view))}${query.search === '' && events.length > 0 && html` · ${t`Export:`}${exports}`}</p></div>`
}

function searchedNote({ examined, backToMs, next }: NonNullable<ListData['searched']>): Html {
  const number = countWords(examined)
  const far =
    next === undefined
      ? plural(
          examined,
          t`Searched all ${number} webhook that match this filter.`,
          t`Searched all ${number} webhooks that match this filter.`,
        )
      : backToMs === undefined
        ? t`Searched ${webhooksWords(examined)}.`
        : t`Searched ${webhooksWords(examined)}, back to ${exactTime(backToMs)}.`
  return html`<p class="soft small">${far} ${t`The search covers the first ${bytesWords(limits.searchedPerRequest.bytesPerBody)} of each body.`}</p>`
}

export const webhooksWords = (count: number): Words =>
  plural(count, t`${countWords(count)} webhook`, t`${countWords(count)} webhooks`)
export const changedWords = {
  replay: (count: number): Words => t`${webhooksWords(count)} replayed.`,
  discard: (count: number): Words => t`${webhooksWords(count)} discarded.`,
}

export const selectionDone = {
  replay: doneWith((replayed = 0, skipped = 0) =>
    selectionNotice(
      skipped,
      changedWords.replay(replayed),
      t`${webhooksWords(skipped)} skipped: only delivered webhooks and dead letters can be replayed.`,
    ),
  ),
  discard: doneWith((discarded = 0, skipped = 0) =>
    selectionNotice(
      skipped,
      changedWords.discard(discarded),
      t`${webhooksWords(skipped)} skipped: only waiting webhooks and dead letters can be discarded.`,
    ),
  ),
}

function selectionNotice(skipped: number, said: Words, left: Words): Html {
  return notice({
    tone: skipped === 0 ? 'good' : 'warn',
    body: html`<p>${said}</p>${skipped !== 0 && html`<p>${left}</p>`}`,
  })
}

export function listRoutes(app: FastifyInstance, services: BotPageServices): void {
  const admit = onBot(services, 'read-deliveries')
  showPage(app, '/bots/:botId/deliveries', admit, async (visit) => {
    const query = await readList(visit)
    if (query === undefined) return sendNotFound(visit)
    return sendList(visit, query)
  })

  for (const form of ['csv', 'ndjson'] as const) {
    const sendExport = async (visit: BotVisit) => {
      const { bot, by, nowMs, reply, request } = visit
      const query = await readList(visit)
      if (query === undefined) return sendNotFound(visit)
      const batches = services.eventAccess.export(by.userId, bot.id, listQuery.filterOf(query, nowMs), query.before)
      request.log.info({ bot: bot.id, user: by.userId, form }, 'deliveries exported')
      return reply
        .headers(exportHeaders(form, `deliveries-${bot.id}`))
        .send(exportFile(form, batches, languageOf(request)))
    }
    showPage(app, `/bots/:botId/deliveries/export.${form}`, admit, sendExport, { exposeHeadRoute: false })
  }
}

export async function sendList(
  visit: BotVisit,
  query: listQuery.ListQuery,
  refused?: { status: number; fault: Text },
): Promise<FastifyReply> {
  const data = await loadList(visit, query)
  return visit.send(deliveriesPage({ ...visit, ...data, fault: refused?.fault }), refused?.status)
}

/** Reads the list's query from a URL. Returns `undefined` if a value is unknown, or the flow doesn't exist. */
export async function readList(
  visit: BotVisit,
  query: unknown = visit.request.query,
): Promise<listQuery.ListQuery | undefined> {
  const fields = query as Record<string, unknown>
  const flow = await flowInFilter(visit, fields.flow)
  if (flow === 'unknown') return undefined
  const read = listQuery.readListQuery(fields, flow?.id)
  return read === 'unknown' ? undefined : read
}

/** Maximum length of the list's query in a form. A search text of 200 characters takes at most 1,800 in a URL. */
const listQueryMaxCharacters = 4_096

/** Reads the list's query from the field of a form. Returns `undefined` as {@link readList} does. */
export async function readPostedList(visit: BotVisit): Promise<listQuery.ListQuery | undefined> {
  const list = formText(visit.request, 'list')
  if (list.length > listQueryMaxCharacters) return undefined
  return readList(visit, Object.fromEntries(new URLSearchParams(list)))
}

/** Returns the flow chosen in a filter, `undefined` for all flows, or `unknown` if it doesn't exist. */
export async function flowInFilter({ services, bot }: BotVisit, named: unknown): Promise<Flow | 'unknown' | undefined> {
  if (named === undefined || named === '') return undefined
  const id = typeof named === 'string' ? parseFlowId(named) : undefined
  return (id && (await services.bots.flows.find(bot.id, id))) ?? 'unknown'
}

const columns = [
  ...(['id', 'receivedAt', 'flowId', 'path', 'state', 'attempts', 'finishedAt', 'durationMs', 'bodyBytes'] as const),
  ...(['lastError', 'deadBecause', 'replayOf', 'replayedAs'] as const),
]

/** Streams the events as CSV (RFC 4180) or NDJSON. If the export ends at its limit, the last line says so. */
function exportFile(form: 'csv' | 'ndjson', batches: ReturnType<EventAccess['export']>, language: Language): Readable {
  const lineOf = (event: EventSummary) => {
    const { acceptedAt: receivedAt, ...record } = listedDeliveryRecord(event)
    const durationMs = event.finishedAtMs === undefined ? null : event.finishedAtMs - event.acceptedAtMs
    const members = { ...record, receivedAt, durationMs }
    return form === 'csv'
      ? csvLine(columns.map((column) => members[column]))
      : `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, members[column]])))}\n`
  }
  async function* lines() {
    if (form === 'csv') yield csvLine(columns)
    for await (const { events, continuesBefore: before } of batches) {
      yield events.map(lineOf).join('')
      if (before === undefined) continue
      const limit = limits.eventsExportedMax
      const note = t`The export ends here, at its limit of ${countWords(limit)} webhooks. For older ones, add before=${before} to the address of the export.`
      yield form === 'csv' ? csvNote(columns, String(note.in(language))) : truncationLine({ limit, before })
    }
  }
  return Readable.from(lines())
}
