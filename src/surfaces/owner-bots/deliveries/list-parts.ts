import * as limits from '../../../domain/limits/limits.ts'
import { causeName, type DeadLetterCause } from '../../../domain/webhooks/dead-letter-causes.ts'
import {
  type EventState,
  type EventSummary,
  eventStates,
  type HourlyCount,
  type StateCount,
} from '../../../domain/webhooks/event-log.ts'
import { button, linkButton, tag } from '../../../pages/components/elements.ts'
import { failureGroup, timesWords } from '../../../pages/components/failures.ts'
import { countWords, exactTime } from '../../../pages/components/figures.ts'
import { cut, type Html, html, plural, type Text, t, type Words } from '../../../pages/html.ts'
import type { BotVisit } from '../bot-pages.ts'
import type { ListData } from './delivery-data.ts'
import { attemptErrorWords, eventDetail, eventState, eventWords, tookWords } from './delivery-words.ts'
import { hourRange, isFiltered, type ListQuery, noFilter, queryText } from './list-query.ts'

export type ListView = Pick<BotVisit, 'bot' | 'nowMs'> & ListData

export const liveParts = { chart, chips, causes, rows, pager }

/** Returns whether the bot has no webhooks at all. The page then says how to send the first one. */
export function isEmpty({ events, query }: ListView): boolean {
  return events.length === 0 && query.before === undefined && !isFiltered(query)
}

function chart(view: ListView): Html {
  if (isEmpty(view)) return html``
  const { bot, counts, query } = view
  const filter = { ...noFilter, flowId: query.flowId }
  const hourHref = (hourMs: number) => `/bots/${bot.id}/deliveries${queryText(filter, hourRange(hourMs))}`
  return hourChart(counts, hourHref)
}

function chips(view: ListView): Html {
  if (isEmpty(view)) return html``
  const { bot, query, states, refused } = view
  const chip = (chosen: EventState | undefined, label: Text, count: StateCount) =>
    html`<a href="/bots/${bot.id}/deliveries${queryText(query, { state: chosen, cause: undefined })}"${query.state === chosen && html` aria-current="true"`}>${label} <span class="count">${countWords(count.events)}${count.more && '+'}</span></a>`
  const every = eventStates.map((each) => states[each])
  const all = { events: every.reduce((sum, { events }) => sum + events, 0), more: every.some(({ more }) => more) }
  return html`${chip(undefined, t`All`, all)}${eventStates.map((each) => chip(each, each === 'dead' ? deadLetters : eventWords.states[each], states[each]))}${refused !== undefined && html`<a class="apart" href="/bots/${bot.id}/deliveries/refused">${t`Refused`} <span class="count">${countWords(refused)}</span></a>`}`
}

/** Renders the dead letters in the list by cause, with links that replay or discard all of one cause, or all of them. */
function causes({ bot, query, causes: found, may }: ListView): Html {
  const all = found?.causes ?? []
  const more = found?.more === true
  const events = all.reduce((sum, cause) => sum + cause.events, 0)
  const unreplayed = all.reduce((sum, cause) => sum + cause.unreplayed, 0)
  if (events === 0) return html``
  const act = (action: 'replay' | 'discard', label: Text, change: Partial<ListQuery> = {}) => {
    const href = `/bots/${bot.id}/dead-letters/${action}${queryText(query, { state: undefined, ...change })}`
    return linkButton({ label, href, tone: action === 'replay' ? 'plain' : 'dangerous', small: true })
  }
  const number = (count: number) => html`${countWords(count)}${more && '+'}`
  const shown = all.slice(0, limits.deadLetterCausesShown)
  const hidden = all.length - shown.length
  const item = (cause: DeadLetterCause) => {
    const said = causeWords(cause)
    const name = causeName(cause)
    return failureGroup({
      cause: html`<a href="/bots/${bot.id}/deliveries${queryText(query, { state: undefined, cause: name })}" dir="auto">${said}</a>`,
      times: timesWords(cause.events),
      about: html`${t`last ${exactTime(cause.lastAtMs)}`}`,
      more:
        may.replay &&
        cause.unreplayed > 0 &&
        act('replay', html`${t`Replay ${number(cause.unreplayed)}`}<span class="hidden-visually"> ${said}</span>`, {
          cause: name,
        }),
    })
  }
  return html`<div class="head-row"><div class="name"><h2 id="dead-letters">${t`Dead letters by cause`}</h2><span class="soft small">${t`They are no longer retried, and are kept for 30 days.`}${unreplayed < events && html` ${t`${number(events - unreplayed)} already replayed.`}`}</span></div>${may.replay && html`<div class="buttons pager">${unreplayed > 0 && act('replay', t`Replay all ${number(unreplayed)}`)}${act('discard', t`Discard all ${number(events)}`)}</div>`}</div>
<ul class="failures causes">${shown.map(item)}</ul>${hidden > 0 && html`<p class="soft small">${plural(hidden, t`${hidden} more cause`, t`${hidden} more causes`)}</p>`}`
}

export function causeWords({ error, because }: Pick<DeadLetterCause, 'error' | 'because'>): Text {
  if (error !== undefined) return attemptErrorWords(error) ?? cut(error.trim(), 120)
  return because === undefined ? '' : eventWords.dead[because]
}

function pager({ bot, query, next }: ListView): Html {
  const address = `/bots/${bot.id}/deliveries`
  const link = (label: Text, change: string, tone: 'plain' | 'quiet') =>
    linkButton({ label, href: `${address}${change}`, tone, small: true })
  const further = query.search === '' ? t`Earlier` : t`Search further`
  return html`${next !== undefined && link(further, queryText(query, { before: next }), 'plain')}${query.before !== undefined && link(t`Newest`, queryText(query), 'quiet')}${isFiltered(query) && link(t`Show all`, '', 'quiet')}`
}

/** Renders the list, with buttons for selected webhooks, or what to do. The script replaces 0 with their number. */
function rows(view: ListView): Html {
  const { events, may } = view
  if (events.length === 0) return isEmpty(view) ? html`` : emptyList(view)
  const act = (action: string, label: Text, tone: 'plain' | 'dangerous') =>
    button({ label, tone, name: 'action', value: action, small: true })
  return html`${may.replay && html`<div class="buttons selection">${act('replay', t`Replay selected`, 'plain')}${act('discard', t`Discard selected`, 'dangerous')}<span class="soft small" role="status" data-chosen="${t`0 selected`}"></span></div>`}
${table(view)}`
}

function emptyList({ query, searched }: ListView): Html {
  if (searched?.next !== undefined) return html`<p>${t`Nothing found so far.`}</p>`
  if (query.before !== undefined) return html`<p>${t`There are no earlier entries.`}</p>`
  return html`<p>${t`No webhooks match this filter.`}</p>`
}

/** Renders one line per webhook. ARIA roles are set, because browsers drop them when CSS changes a table's layout. */
function table(view: ListView): Html {
  const { events, may } = view
  const head = (kind: string, title: Text) => html`<th scope="col" role="columnheader" class="${kind}">${title}</th>`
  return html`<div class="table"><table role="table" class="deliveries"><caption class="hidden-visually">${t`Webhooks, newest first`}</caption>
<thead role="rowgroup"><tr role="row">${
    may.replay &&
    head(
      'choose',
      html`<span class="hidden-visually">${t`Select`}</span><input type="checkbox" data-choose-all aria-label="${t`Select all`}" hidden>`,
    )
  }${head('at', t`Received`)}${head('is', t`State`)}${head('id', t`Event ID`)}${head('flow', t`Flow`)}${head('says', may.open ? t`Error or body` : t`Last error`)}${head('tries number', t`Attempts`)}${head('took number', t`Total time`)}</tr></thead>
<tbody role="rowgroup">${events.map((event) => row(view, event))}</tbody></table></div>`
}

function row({ bot, query, flows, behind, starts, may, nowMs }: ListView, event: EventSummary): Html {
  const { id, flowId, attempts, acceptedAtMs, finishedAtMs, replayOf, test } = event
  const address = `/bots/${bot.id}/deliveries`
  const link = `${address}/${id}${queryText(query, { search: '' })}`
  const head = behind.get(id)
  const waits = head && { event: head, address: may.open ? `${address}/${head.id}` : undefined }
  // On PostgreSQL, an event ID ends with the bot's ID, which is the same in every row.
  const shortId = html`<code title="${id}">${id.split('-', 1)[0]}</code>`
  const flow = flows.find((each) => each.id === flowId)?.name ?? flowId
  const cell = (kind: string, label: Text, content: Text) =>
    html`<td role="cell" class="${kind}" data-label="${label}">${content}</td>`
  return html`<tr role="row">${
    may.replay &&
    html`<td role="cell" class="choose"><input type="checkbox" name="event" value="${id}" aria-label="${t`Select ${id}`}"></td>`
  }${cell('at', t`Received`, exactTime(acceptedAtMs))}${cell('is', t`State`, eventState(event))}<th scope="row" role="rowheader" class="id">${may.open ? html`<a class="row-link" href="${link}">${shortId}</a>` : shortId}</th>${cell(
    'flow',
    t`Flow`,
    html`<span>${cut(flow, 40)}</span>${test && html` ${tag(t`Test`)}`}${replayOf !== undefined && html` ${tag(t.in('tag')`Replay`)}`}`,
  )}${cell('says', t`Error or body`, html`${note(event, eventDetail(event, nowMs, waits))}<code class="soft">${starts.get(id)}</code>`)}${cell('tries number', t`Attempts`, String(attempts))}${cell(
    'took number',
    t`Total time`,
    finishedAtMs === undefined ? '' : tookWords(finishedAtMs - acceptedAtMs),
  )}</tr>
`
}

/** Renders the last error of an undelivered webhook, or what the webhook is waiting for. */
function note({ state: is, lastError }: EventSummary, detail: Text): Html | false {
  if (is === 'done') return false
  const error = lastError === undefined ? undefined : (attemptErrorWords(lastError) ?? cut(lastError, 120))
  return html`${error !== undefined && html`<span class="note bad">${error}</span>`}${detail !== '' && is !== 'dead' && html`<span class="note">${detail}</span>`}${is === 'dead' && error === undefined && html`<span class="note bad">${detail}</span>`}`
}

/** Renders how a page is kept up to date, for `live.js`. `events` is its stream's URL, `undefined` if it isn't live. */
export function liveStatus(events: string | undefined): Html {
  if (events === undefined) return html``
  return html`<span data-events="${events}" data-live-said="${t`Live`}" data-lost="${t`Connection lost. Reconnecting…`}" data-looked="${t`Updated every 15 seconds.`}"><span data-live-words>${t`Reload to update.`}</span></span>`
}

const deadLetters = t.in('state')`Dead letters`

/** Parts of a bar, from the bottom up. Each has the number that the overview shows under the same name. */
const stack = [
  { part: 'delivered', name: t`Delivered`, tone: 'good' },
  { part: 'failed', name: t`Failed attempts`, tone: 'warn' },
  { part: 'dead', name: deadLetters, tone: 'bad' },
] as const

const barWidth = 10
const height = 100

/** Renders the hours as stacked bars that link to their hours, with a mark at the number received, and as a table. */
function hourChart(counts: readonly HourlyCount[], hourHref: (hourMs: number) => string): Html {
  const tallest = scaleOf(Math.max(1, ...counts.map((count) => Math.max(heightOf(count), count.accepted))))
  const width = counts.length * barWidth
  const labels = counts.filter((_, hour) => hour % 6 === 0)
  return html`<figure class="chart"><figcaption>${t`Last ${counts.length} hours`} ${legend(counts)}</figcaption>
<div class="scale" aria-hidden="true"><span>${countWords(tallest)}</span>${tallest > 1 && html`<span>${countWords(tallest / 2)}</span>`}<span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${t`Webhooks in the last ${counts.length} hours`}"><path class="grid" d="M0 0.5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}"/>${counts.map(
    (count, hour) => isBusy(count) && bar(count, hour * barWidth, tallest, hourHref(count.hourMs)),
  )}</svg>
<div class="axis" aria-hidden="true">${labels.map(({ hourMs }) => hourTime(hourMs))}<span>${t`Now`}</span></div>
${asTable(counts, hourHref)}</figure>`
}

function bar(count: HourlyCount, left: number, tallest: number, href: string): Html {
  let top = height
  const rects = stack.map(({ part, tone }) => {
    const tall = count[part] === 0 ? 0 : Math.max(1.5, (count[part] / tallest) * height)
    top -= tall
    return (
      tall > 0 &&
      html`<rect class="${tone}" x="${left + 1}" y="${round(top)}" width="${barWidth - 2}" height="${round(tall)}"/>`
    )
  })
  const sums = [
    t`${t`Received`}: ${countWords(count.accepted)}`,
    ...stack.map(({ part, name }) => html`, ${t`${name}: ${countWords(count[part])}`}`),
  ]
  const mark = Math.max(0, height - (count.accepted / tallest) * height - 1)
  return html`<a href="${href}" aria-label="${t`${hourText(count.hourMs)} UTC. ${sums}`}"><rect class="hit" x="${left}" y="0" width="${barWidth}" height="${height}"/>${rects}${count.accepted > 0 && html`<rect class="received" x="${left}" y="${round(mark)}" width="${barWidth}" height="2"/>`}</a>`
}

function legend(counts: readonly HourlyCount[]): Html {
  const entry = (tone: string, name: Words, part: CountedPart) =>
    html`<li><svg viewBox="0 0 12 12" aria-hidden="true">${
      tone === 'received'
        ? html`<rect class="received" y="5" width="12" height="2"/>`
        : html`<rect class="${tone}" width="12" height="12"/>`
    }</svg>${name} ${countWords(totalOf(counts, part))}</li>`
  return html`<ul class="legend">${entry('received', t`Received`, 'accepted')}${stack.map(({ part, name, tone }) => entry(tone, name, part))}</ul>`
}

type CountedPart = Exclude<keyof HourlyCount, 'hourMs'>

export function totalOf(counts: readonly HourlyCount[], part: CountedPart): number {
  return counts.reduce((total, count) => total + count[part], 0)
}

function asTable(counts: readonly HourlyCount[], hourHref: (hourMs: number) => string): Html | false {
  const busy = counts.filter(isBusy)
  return (
    busy.length > 0 &&
    html`<details class="reveal" data-name="chart"><summary class="small">${t`Show as table`}</summary><table><caption class="hidden-visually">${t`Webhooks per hour, UTC`}</caption><thead><tr><th scope="col">${t`Hour`}</th><th scope="col" class="number">${t`Received`}</th>${stack.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${busy.map(
      (count) =>
        html`<tr><th scope="row"><a href="${hourHref(count.hourMs)}">${hourTime(count.hourMs)}</a></th><td class="number">${countWords(count.accepted)}</td>${stack.map(({ part }) => html`<td class="number">${countWords(count[part])}</td>`)}</tr>`,
    )}</tbody></table></details>`
  )
}

function heightOf(count: HourlyCount): number {
  return stack.reduce((sum, { part }) => sum + count[part], 0)
}

function isBusy(count: HourlyCount): boolean {
  return count.accepted > 0 || heightOf(count) > 0
}

/** Returns the lowest of 1, 2, 4, 10, 20, 40 … that is at least `most`. Half of it, the label, is whole (but of 1). */
function scaleOf(most: number): number {
  for (let power = 1; ; power *= 10) {
    const fits = [1, 2, 4].find((step) => step * power >= most)
    if (fits !== undefined) return fits * power
  }
}

function hourText(hourMs: number): string {
  return new Date(hourMs).toISOString().slice(11, 16)
}

function hourTime(hourMs: number): Html {
  return html`<time datetime="${new Date(hourMs).toISOString()}" data-local data-hour>${hourText(hourMs)}</time>`
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100
}
