import type { FastifyInstance } from 'fastify'
import { iso } from '../../api/engine/schemas.ts'
import { type LogLevel, logLevels, type NumberedLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { exportHeaders, exportOf } from '../../http/export-lines.ts'
import { button, emptyState, linkButton, state } from '../../pages/components/elements.ts'
import { logTime } from '../../pages/components/figures.ts'
import { folded, olderAndNewest } from '../../pages/components/list.ts'
import { selectField, textField } from '../../pages/form.ts'
import { showPage } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t, type Words } from '../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, onBot, sendNotFound } from './bot-pages.ts'
import { liveStatus } from './deliveries/list-parts.ts'
import { chosenFilter, type Since, searchText, sinceHours, sinceWords } from './deliveries/list-query.ts'

export function logRoutes(app: FastifyInstance, services: BotPageServices): void {
  const admit = onBot(services, 'read-logs')

  showPage(app, '/bots/:botId/logs', admit, async (visit) => {
    const query = readLogQuery(visit)
    if (query === 'unknown') return sendNotFound(visit)
    return visit.send(logPage({ ...visit, query, entries: await logEntries(visit, query) }))
  })

  for (const form of ['csv', 'ndjson'] as const) {
    const sendExport = async (visit: BotVisit) => {
      const { bot, by, reply, request } = visit
      const query = readLogQuery(visit)
      if (query === 'unknown') return sendNotFound(visit)
      const entries = await logEntries(visit, query, limits.logEntriesKeptPerBot)
      request.log.info({ bot: bot.id, user: by.userId, form }, 'log exported')
      const rows = entries.map(({ atMs, level, message }) => ({ at: iso(atMs), level, message }))
      return reply.headers(exportHeaders(form, `log-${bot.id}`)).send(exportOf(form, ['at', 'level', 'message'], rows))
    }
    showPage(app, `/bots/:botId/logs/export.${form}`, admit, sendExport, { exposeHeadRoute: false })
  }
}

interface LogQuery {
  /** The least severe level that is shown. */
  level: LogLevel
  since: Since
  search: string
  /** The entry that precedes the page. `undefined` for the newest entries. */
  after: { atMs: number; number: number } | undefined
}

/** Reads the query. Returns `unknown` if a value is none of the choices. A malformed position means the first page. */
export function readLogQuery({ request }: BotVisit): LogQuery | 'unknown' {
  const { level, since, q, after } = request.query as Record<string, unknown>
  const least = chosenFilter(logLevels, level) ?? 'debug'
  const range = chosenFilter(Object.keys(sinceHours) as Since[], since) ?? 'any'
  if (least === 'unknown' || range === 'unknown') return 'unknown'
  const [, atMs, number] = (typeof after === 'string' && /^(-?\d{1,15})-(\d{1,15})$/.exec(after)) || []
  const place = atMs === undefined ? undefined : { atMs: Number(atMs), number: Number(number) }
  return { level: least, since: range, search: searchText(q), after: place }
}

/** Returns whether the log is updated live. Older pages and search results aren't, as in the list of deliveries. */
export function isLiveLog({ after, search }: LogQuery): boolean {
  return after === undefined && search === ''
}

/** Returns the filter as a URL's query, empty or beginning with `?`, with the position after `last`. */
function queryText({ level, since, search }: LogQuery, last?: NumberedLogEntry): string {
  const fields = [
    ['level', level === 'debug' ? '' : level],
    ['since', since === 'any' ? '' : since],
    ['q', search],
    ['after', last === undefined ? '' : `${last.atMs}-${last.number}`],
  ].filter(([, value]) => value !== '')
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}

/** Returns the newest entries that match the query. By default, one more than a page shows. */
export function logEntries(
  { services: { bots }, bot, nowMs }: BotVisit,
  { level, since, search: text, after }: LogQuery,
  most: number = limits.logEntriesPerPage + 1,
): Promise<NumberedLogEntry[]> {
  const hours = sinceHours[since]
  const sinceMs = hours === undefined ? undefined : nowMs - hours * 3_600_000
  return bots.logs.page(bot.id, { levels: logLevels.slice(logLevels.indexOf(level)), sinceMs, text, after, most })
}

type LogView = BotVisit & {
  query: LogQuery
  /** The page's entries, plus one more if there is a next page. */
  entries: readonly NumberedLogEntry[]
}

function logPage(view: LogView): Html {
  const { bot, query } = view
  const address = `/bots/${bot.id}/logs`
  const isLive = isLiveLog(query)
  const exports = (['csv', 'ndjson'] as const).map(
    (form) => html` <a href="${address}/export.${form}${queryText(query)}" download>${form.toUpperCase()}</a>`,
  )
  return botPartPage(view, {
    part: 'logs',
    styles: ['deliveries.css'],
    modules: isLive ? ['live.js'] : [],
    body: html`<div class="stack tight spread">${filterForm(view, address)}
<p class="soft small">${t`Export:`}${exports}${isLive && html` · ${liveStatus(`${address}/live${queryText(query)}`)}`}</p>
<div class="stack tight" data-live="entries">${logParts(view).entries}</div></div>`,
  })
}

function filterForm({ query }: LogView, address: string): Html {
  const options = <Value extends string>(all: readonly Value[], labelOf: (value: Value) => Words) =>
    all.map((value) => ({ value, label: labelOf(value) }))
  const isFiltered = queryText(query) !== ''
  return folded(
    html`<form class="filter webhooks" method="get" action="${address}" role="search">
${textField({ label: t`Text in the message`, autocomplete: 'off' }).show('q', query.search)}
${selectField({ label: t`Level`, options: options(logLevels, (level) => levelWords[level].filter) }).show('level', query.level)}
${selectField({ label: t.in('period')`Time`, options: options(Object.keys(sinceHours) as Since[], (since) => sinceWords[since]) }).show('since', query.since)}
<div class="buttons">${button({ label: t`Apply filter`, tone: 'plain' })}${isFiltered && linkButton({ label: t`Show all`, href: address, tone: 'quiet' })}</div></form>`,
    isFiltered,
  )
}

export function logParts({ bot, query, entries }: LogView): { entries: Html } {
  const address = `/bots/${bot.id}/logs`
  const isFirst = query.after === undefined
  if (entries.length === 0) return { entries: emptyLog(query) }
  const { rows, rest, last } = rowsThatFit(entries)
  return {
    entries: html`${logTable(t`Log entries, newest first`, rows)}
${olderAndNewest(rest && last && `${address}${queryText(query, last)}`, !isFirst && `${address}${queryText(query)}`)}`,
  }
}

function emptyLog(query: LogQuery): Html {
  if (query.after !== undefined) return html`<p>${t`There are no earlier entries.`}</p>`
  return emptyState({
    title: queryText(query) === '' ? t`No log entries yet` : t`No log entries match this filter`,
    body: html`<p>${t`Entries from the bot’s runtime, newest first. The latest 1,000 are kept.`}</p>`,
  })
}

function logTable(caption: Words, rows: readonly Html[]): Html {
  return html`<div class="table"><table role="table" class="lines"><caption class="hidden-visually">${caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="at">${t`Time`}</th><th scope="col" role="columnheader" class="is">${t`Level`}</th><th scope="col" role="columnheader">${t`Message`}</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody></table></div>`
}

export function logOf(entries: readonly NumberedLogEntry[]): Html {
  const caption = t`Log entries, oldest first`
  const rows = entries.map((entry, at) => logRow(entry, entries[at - 1]))
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">${logTable(caption, rows)}</div>`
}

function logRow({ atMs, number, level, message }: NumberedLogEntry, above: NumberedLogEntry | undefined): Html {
  return html`<tr role="row"${level === 'error' && html` class="bad"`}><td role="cell" class="at">${logTime(atMs, above?.atMs)}</td><td role="cell" class="is">${levelWords[level].shown}</td><td role="cell">${messageOf(number, message)}</td></tr>
`
}

/** Longest message that is never folded. */
const lineMaxCharacters = 80

/** Renders a message on one line. A stack, and what doesn't fit, is unfolded on request. */
function messageOf(number: number, message: string): Html {
  const [line = '', ...stack] = message.trim().split(/\r?\n/)
  const first: Text = html`<span dir="auto">${line}</span>`
  if (stack.length === 0 && line.length <= lineMaxCharacters) return first
  return html`<details data-name="${number}"><summary>${first}</summary>${stack.length > 0 && html`<pre dir="auto">${stack.join('\n')}</pre>`}</details>`
}

/** Maximum size of the list on one page, in bytes, so that pages load quickly on slow connections. */
const listMaxBytes = 24_000

/** Returns as many rows as fit on one page, but at least one. `last` is the last row's entry. */
function rowsThatFit(entries: readonly NumberedLogEntry[]): {
  rows: Html[]
  rest: boolean
  last: NumberedLogEntry | undefined
} {
  const rows: Html[] = []
  let bytes = 0
  for (const [at, entry] of entries.slice(0, limits.logEntriesPerPage).entries()) {
    const row = logRow(entry, entries[at - 1])
    bytes += Buffer.byteLength(row.in('en'))
    if (rows.length > 0 && bytes > listMaxBytes) break
    rows.push(row)
  }
  return { rows, rest: rows.length < entries.length, last: entries[rows.length - 1] }
}

const levelWords = {
  debug: { shown: t`Debug`, filter: t`All levels` },
  info: { shown: t`Info`, filter: t`Info and above` },
  warn: { shown: state({ tone: 'warn', word: t`Warning` }), filter: t`Warnings and errors` },
  error: { shown: state({ tone: 'bad', word: t`Error` }), filter: t`Errors` },
} satisfies Record<LogLevel, { shown: Text; filter: Words }>
