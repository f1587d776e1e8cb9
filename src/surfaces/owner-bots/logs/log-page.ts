import { type LogLevel, logLevels, type NumberedLogEntry } from '../../../domain/bots/runtimes/runtime-logs.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { botFrameWords } from '../words.ts'
import { rowsThatFit } from './rows-that-fit.ts'
import { logWords as words } from './words.ts'

export interface LogView extends BotPageView {
  /** The least severe level that is shown. */
  level: LogLevel
  /** The page's entries, plus one more if there is a next page. */
  entries: readonly NumberedLogEntry[]
  isFirst: boolean
}

const tones: Record<LogLevel, Tone> = { debug: 'neutral', info: 'neutral', warn: 'warn', error: 'bad' }

export function logPage(view: LogView): Html {
  const { bot, level, entries, isFirst, nowMs } = view
  const address = `/bots/${bot.id}/logs`
  const { shown, rest, last } = rowsThatFit(entries, (entry) => entryRow(entry, nowMs))
  return botPartPage(view, {
    part: 'logs',
    body: html`<nav class="filters" aria-label="${words.level}">${logLevels.map(
      (one) =>
        html`<a href="${address}?level=${one}"${one === level && html` aria-current="true"`}>${words.levels[one].filter}</a>`,
    )}</nav>
${
  entries.length === 0
    ? emptyList(level, isFirst)
    : html`<ol class="log" aria-label="${words.list}">${shown}</ol>
<div class="buttons">${rest && last && linkButton({ label: botFrameWords.earlier, href: `${address}?level=${level}&after=${last.atMs}-${last.number}`, tone: 'plain' })}${!isFirst && linkButton({ label: botFrameWords.newest, href: `${address}?level=${level}`, tone: 'quiet' })}</div>`
}`,
  })
}

function entryRow({ atMs, level, message }: NumberedLogEntry, nowMs: number): Html {
  return html`<li><div class="meta">${state({ tone: tones[level], word: words.levels[level].word })} ${time(atMs, nowMs)}</div><pre>${message}</pre></li>
`
}

function emptyList(level: LogLevel, isFirst: boolean): Html {
  if (!isFirst) return html`<p>${botFrameWords.nothingEarlier}</p>`
  return emptyState({
    title: level === 'debug' ? words.noneYet : words.noneOfThisKind,
    body: html`<p>${words.about}</p>`,
  })
}
