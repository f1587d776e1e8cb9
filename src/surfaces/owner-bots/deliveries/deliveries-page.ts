import * as limits from '../../../domain/limits/limits.ts'
import { button, linkButton, postForm } from '../../../pages/components/button.ts'
import { selectField, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { exactTime } from '../../../pages/components/time.ts'
import { doneWith } from '../../../pages/flash.ts'

import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { bytesWords } from '../../../pages/words/figures.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import type { ListData } from './delivery-data.ts'
import { cut, type ListView, liveParts, liveStatus } from './list-parts.ts'
import { isFiltered, isLive, queryText, type Since } from './list-query.ts'
import { listWords } from './list-words.ts'

interface DeliveriesView extends BotPageView, ListData {
  hasDeadLetters: boolean
  /** The rejected form's error. */
  fault: Text | undefined
}

export function deliveriesPage(view: DeliveriesView): Html {
  const { query, fault } = view
  return botPartPage(view, {
    part: 'deliveries',
    styles: ['deliveries.css'],
    modules: eventsUrl(view) === undefined ? ['deliveries.js'] : ['live.js', 'deliveries.js'],
    canonical: `/bots/${view.bot.id}/deliveries${queryText(query, { before: query.before })}`,
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
<div class="card" data-live="chart">${liveParts.chart(view)}</div>
<nav class="chips" aria-label="${t`Filter by state`}" data-live="chips">${liveParts.chips(view)}</nav>
${filterForm(view)}
${listForm(view)}
${pagination(view)}
${view.may.replay && view.hasDeadLetters && deadLetterActions(view)}`,
  })
}

/** Returns the URL of the list's live updates, or `undefined` if the list isn't live. */
function eventsUrl({ bot, query }: ListView): string | undefined {
  return isLive(query) ? `/bots/${bot.id}/deliveries/live${queryText(query)}` : undefined
}

/** Maximum number of flows listed in the filter. */
const flowsToChoose = 50

function filterForm({ bot, flows, query, may }: DeliveriesView): Html {
  const { flowId, since, state, from, until, search } = query
  const listening = flows.filter(({ webhook, id }) => webhook !== null || id === flowId).slice(0, flowsToChoose)
  const address = `/bots/${bot.id}/deliveries`
  const minute = (name: string, label: Words, value: string | undefined) =>
    html`<div class="field"><label for="${name}">${label}</label><input type="datetime-local" id="${name}" name="${name}" value="${value ?? ''}"></div>`
  return html`<form class="filter webhooks" method="get" action="${address}">${state !== undefined && html`<input type="hidden" name="state" value="${state}">`}
${textField({ name: 'q', label: may.open ? t`Event ID or text in the body` : t`Event ID`, value: search, autocomplete: 'off' })}
${selectField({
  name: 'flow',
  label: t`Flow`,
  value: flowId ?? '',
  options: [{ value: '', label: t`All` }, ...listening.map(({ id, name }) => ({ value: id, label: cut(name, 20) }))],
})}
${selectField({
  name: 'since',
  label: t`Received`,
  value: since,
  options: Object.entries(listWords.since satisfies Record<Since, Words>).map(([value, label]) => ({ value, label })),
})}
<div class="buttons">${button({ label: t`Apply filter`, tone: 'plain' })}</div>
<details class="reveal"${(from !== undefined || until !== undefined) && html` open`}><summary class="small">${t`Custom range`}</summary><div class="range">${minute('from', listWords.from, from)}${minute('until', listWords.until, until)}</div></details></form>`
}

function listForm(view: DeliveriesView): Html {
  const { bot, may, query } = view
  const list = html`<div class="stack tight" data-live="rows">${liveParts.rows(view)}</div>`
  if (!may.replay) return list
  return postForm(
    { action: `/bots/${bot.id}/deliveries/selection` },
    html`<input type="hidden" name="list" value="${queryText(query, { before: query.before })}">`,
    list,
  )
}

function pagination(view: DeliveriesView): Html {
  const { bot, query, events, next, searched } = view
  const address = `/bots/${bot.id}/deliveries`
  const further = query.search === '' ? t`Earlier` : t`Search further`
  const exports = (['csv', 'ndjson'] as const).map(
    (form) =>
      html` <a href="${address}/export.${form}${queryText(query)}" title="${listWords.exportHint()}" download>${form.toUpperCase()}</a>`,
  )
  return html`${searched && searchedNote(searched)}
<div class="head-row"><div class="buttons">${next !== undefined && linkButton({ label: further, href: `${address}${queryText(query, { before: next })}`, tone: 'plain' })}${query.before !== undefined && linkButton({ label: t`Newest`, href: `${address}${queryText(query)}`, tone: 'quiet' })}${isFiltered(query) && linkButton({ label: t`Show all`, href: address, tone: 'quiet' })}</div>
<p class="soft small">${liveStatus(eventsUrl(view))}${query.search === '' && events.length > 0 && html` · ${t`Export:`}${exports}`}</p></div>`
}

/** Renders how far back the search has reached. */
function searchedNote({ examined, backToMs, next }: NonNullable<ListData['searched']>): Html {
  const far =
    next === undefined
      ? listWords.searchedAll(examined)
      : listWords.searched(examined, backToMs === undefined ? undefined : exactTime(backToMs))
  return html`<p class="soft small">${far} ${t`The search covers the first ${bytesWords(limits.searchedPerRequest.bytesPerBody)} of each body.`}</p>`
}

function deadLetterActions({ bot, query: { flowId } }: DeliveriesView): Html {
  const ask = (action: string, label: Words, tone: 'plain' | 'dangerous') =>
    html`<form method="get" action="/bots/${bot.id}/dead-letters/${action}">${flowId !== undefined && html`<input type="hidden" name="flow" value="${flowId}">`}${button({ label, tone })}</form>`
  return html`<section class="card" aria-labelledby="dead-letters"><div class="stack tight"><h2 id="dead-letters">${t`Dead letters`}</h2>
<p>${flowId === undefined ? t`Dead letters are no longer retried and are kept for 30 days. You can replay or discard them all at once.` : t`Dead letters are no longer retried and are kept for 30 days. You can replay or discard all dead letters of this flow at once.`}</p></div>
<div class="buttons">${ask('replay', t`Replay all`, 'plain')}${ask('discard', t`Discard all`, 'dangerous')}</div></section>`
}

const { selection } = listWords

/** Notices about an action on selected webhooks. */
export const selectionDone = {
  replay: doneWith((done, skipped) => selectionNotice(selection.replayed(done ?? 0), selection.skippedReplay, skipped)),
  discard: doneWith((done, skipped) =>
    selectionNotice(selection.discarded(done ?? 0), selection.skippedDiscard, skipped),
  ),
}

function selectionNotice(said: Words, left: (skipped: number) => Words, skipped = 0): Html {
  return notice({
    tone: skipped === 0 ? 'good' : 'warn',
    body: html`<p>${said}</p>${skipped !== 0 && html`<p>${left(skipped)}</p>`}`,
  })
}
