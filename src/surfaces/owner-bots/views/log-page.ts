import { type LogLevel, logLevels } from '../../../domain/bots/runtime-log.ts'
import type { NumberedLogEntry } from '../../../domain/bots/runtime-log-store.ts'
import { linkButton } from '../../../http/components/button.ts'
import { emptyState } from '../../../http/components/empty-state.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { fitting } from './fitting.ts'

export interface LogView extends BotPageView {
  /** This level and all more serious ones. */
  level: LogLevel
  /** One more than a page takes, when there are more. */
  entries: readonly NumberedLogEntry[]
  isFirst: boolean
}

const levelWords: Record<LogLevel, { tone: Tone; word: string; filter: string }> = {
  debug: { tone: 'neutral', word: 'Debug', filter: 'Everything' },
  info: { tone: 'neutral', word: 'Info', filter: 'Info and worse' },
  warn: { tone: 'warn', word: 'Warning', filter: 'Warnings and errors' },
  error: { tone: 'bad', word: 'Error', filter: 'Errors' },
}

export function logPage(view: LogView): Html {
  const { bot, level, entries, isFirst, nowMs } = view
  const address = `/bots/${bot.id}/logs`
  const { shown, rest, last } = fitting(entries, (entry) => entryRow(entry, nowMs))
  return botPartPage(view, {
    part: 'logs',
    body: html`<nav class="filters" aria-label="Level">${logLevels.map(
      (one) =>
        html`<a href="${address}?level=${one}"${one === level && html` aria-current="true"`}>${levelWords[one].filter}</a>`,
    )}</nav>
${
  entries.length === 0
    ? nothing(level, isFirst)
    : html`<ol class="log" aria-label="Log entries, newest first">${shown}</ol>
<div class="buttons">${rest && last && linkButton({ label: 'Earlier', href: `${address}?level=${level}&after=${last.atMs}-${last.number}`, tone: 'plain' })}${!isFirst && linkButton({ label: 'Newest', href: `${address}?level=${level}`, tone: 'quiet' })}</div>`
}`,
  })
}

function entryRow({ atMs, level, message }: NumberedLogEntry, nowMs: number): Html {
  const { tone, word } = levelWords[level]
  return html`<li><div class="meta">${state({ tone, word })} ${time(atMs, nowMs)}</div><pre>${message}</pre></li>
`
}

function nothing(level: LogLevel, isFirst: boolean): Html {
  if (!isFirst) return html`<p>There is nothing earlier.</p>`
  return emptyState({
    title: level === 'debug' ? 'The bot has logged nothing yet' : `Nothing of this kind was logged`,
    body: html`<p>What the bot’s runtime sends as log frames stands here, newest first. Each bot keeps its latest 1,000 entries.</p>`,
  })
}
