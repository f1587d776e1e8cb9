import type { FastifyInstance } from 'fastify'
import { type LogLevel, logLevels, type NumberedLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { linkButton } from '../../pages/components/button.ts'
import { emptyState } from '../../pages/components/card.ts'
import { state, type Tone } from '../../pages/components/notice.ts'
import { time } from '../../pages/components/time.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { type BotPageServices, chosenFilter, onBot, sendNotFound } from './on-bot.ts'

/** Registers `/bots/{botId}/logs`: the log from the bot's runtime. */
export function logRoutes(app: FastifyInstance, services: BotPageServices): void {
  app.get(
    '/bots/:botId/logs',
    onBot(services, 'read-logs', async (visit) => {
      const query = visit.request.query as Record<string, unknown>
      const level = chosenFilter(logLevels, query.level) ?? 'debug'
      if (level === 'unknown') return sendNotFound(visit)
      const after = readPlace(query.after)
      const page = { levels: levelsFrom(level), after, most: limits.logEntriesPerPage + 1 }
      const entries = await services.bots.logs.page(visit.bot.id, page)
      return sendPage(visit.reply, logPage({ ...visit, level, entries, isFirst: after === undefined }))
    }),
  )
}

/** Returns this level and all more severe ones. */
function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return logLevels.slice(logLevels.indexOf(level))
}

/**
 * Parses a page's cursor: the time and number of the entry that precedes the page. Returns `undefined` if it is
 * malformed.
 */
function readPlace(text: unknown): { atMs: number; number: number } | undefined {
  const [, atMs, number] = (typeof text === 'string' && /^(-?\d{1,15})-(\d{1,15})$/.exec(text)) || []
  return atMs === undefined ? undefined : { atMs: Number(atMs), number: Number(number) }
}

interface LogView extends BotPageView {
  /** The least severe level that is shown. */
  level: LogLevel
  /** The page's entries, plus one more if there is a next page. */
  entries: readonly NumberedLogEntry[]
  isFirst: boolean
}

const tones: Record<LogLevel, Tone> = { debug: 'neutral', info: 'neutral', warn: 'warn', error: 'bad' }

function logPage(view: LogView): Html {
  const { bot, level, entries, isFirst, nowMs } = view
  const address = `/bots/${bot.id}/logs`
  const { shown, rest, last } = rowsThatFit(entries, (entry) => entryRow(entry, nowMs))
  return botPartPage(view, {
    part: 'logs',
    body: html`<nav class="filters" aria-label="${t`Level`}">${logLevels.map(
      (one) =>
        html`<a href="${address}?level=${one}"${one === level && html` aria-current="true"`}>${logWords.levels[one].filter}</a>`,
    )}</nav>
${
  entries.length === 0
    ? emptyList(level, isFirst)
    : html`<ol class="log" aria-label="${t`Log entries, newest first`}">${shown}</ol>
<div class="buttons">${rest && last && linkButton({ label: t`Earlier`, href: `${address}?level=${level}&after=${last.atMs}-${last.number}`, tone: 'plain' })}${!isFirst && linkButton({ label: t`Newest`, href: `${address}?level=${level}`, tone: 'quiet' })}</div>`
}`,
  })
}

function entryRow({ atMs, level, message }: NumberedLogEntry, nowMs: number): Html {
  return html`<li><div class="meta">${state({ tone: tones[level], word: logWords.levels[level].word })} ${time(atMs, nowMs)}</div><pre>${message}</pre></li>
`
}

function emptyList(level: LogLevel, isFirst: boolean): Html {
  if (!isFirst) return html`<p>${t`There are no earlier entries.`}</p>`
  return emptyState({
    title: level === 'debug' ? t`No log entries yet` : t`No log entries at this level`,
    body: html`<p>${t`Entries from the bot’s runtime, newest first. The latest 1,000 are kept.`}</p>`,
  })
}

/** Maximum size of the list on one page, in bytes, so that pages load quickly on slow connections. */
const listMaxBytes = 24_000
const rowsPerPage = 50

/** Returns as many rows as fit on one page, but at least one. `last` is the next page's cursor. */
function rowsThatFit<Row>(
  rows: readonly Row[],
  render: (row: Row) => Html,
): { shown: Html[]; rest: boolean; last: Row | undefined } {
  const shown: Html[] = []
  let bytes = 0
  for (const row of rows.slice(0, rowsPerPage)) {
    const markup = render(row)
    bytes += Buffer.byteLength(markup.in('en'))
    if (shown.length > 0 && bytes > listMaxBytes) break
    shown.push(markup)
  }
  return { shown, rest: shown.length < rows.length, last: rows[shown.length - 1] }
}

/** Text for the runtime log. */
const logWords = {
  levels: {
    debug: { word: t`Debug`, filter: t`All levels` },
    info: { word: t`Info`, filter: t`Info and above` },
    warn: {
      word: t`Warning`,
      filter: t`Warnings and errors`,
    },
    error: { word: t`Error`, filter: t`Errors` },
  } satisfies Record<LogLevel, { word: Words; filter: Words }>,
}
