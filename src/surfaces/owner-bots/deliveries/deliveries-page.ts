import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { EventsWaitedFor } from '../../../domain/webhooks/delivery-log.ts'
import {
  type EventPage,
  type EventState,
  type EventSummary,
  eventStates,
  type HourlyCount,
} from '../../../domain/webhooks/event-log.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/empty-state.ts'
import { selectField } from '../../../pages/components/field.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords } from '../words.ts'
import { eventDetail, eventState } from './event-words.ts'
import { hourBars } from './hour-bars.ts'
import { attemptErrorWords, eventWords, deliveriesWords as words } from './words.ts'

/** Time ranges that the list can show, in hours. */
export const sinceHours = { any: undefined, hour: 1, day: 24, week: 168 } as const
export type Since = keyof typeof sinceHours

export interface DeliveriesView extends BotPageView, EventPage {
  behind: EventsWaitedFor
  counts: readonly HourlyCount[]
  flows: readonly Flow[]
  flowId: string | undefined
  state: EventState | undefined
  since: Since
  isFirst: boolean
  hasDeadLetters: boolean
  may: { open: boolean; replay: boolean }
  done: string | undefined
}

export function deliveriesPage(view: DeliveriesView): Html {
  const { bot, events, next, counts, isFirst, done } = view
  const address = `/bots/${bot.id}/deliveries`
  return botPartPage(view, {
    part: 'deliveries',
    done: doneNotice(done),
    body: html`<div class="card">${hourBars(counts)}</div>
${filterForm(view, address)}
${events.length === 0 ? emptyList(view) : listOf(view, address)}
<div class="buttons">${next !== undefined && linkButton({ label: botFrameWords.earlier, href: `${address}?${queryOf(view, next)}`, tone: 'plain' })}${!isFirst && linkButton({ label: botFrameWords.newest, href: `${address}?${queryOf(view)}`, tone: 'quiet' })}</div>
${view.may.replay && view.hasDeadLetters && deadLetterActions(view)}`,
  })
}

function queryOf({ flowId, state, since }: DeliveriesView, before?: string): string {
  const query = new URLSearchParams()
  if (flowId !== undefined) query.set('flow', flowId)
  if (state !== undefined) query.set('state', state)
  if (since !== 'any') query.set('since', since)
  if (before !== undefined) query.set('before', before)
  return String(query)
}

/** Maximum number of flows listed in the filter. */
const flowsToChoose = 50

function filterForm({ flows, flowId, state, since }: DeliveriesView, address: string): Html {
  const listening = flows.filter(({ webhook, id }) => webhook !== null || id === flowId).slice(0, flowsToChoose)
  return html`<form class="filter" method="get" action="${address}">
${selectField({
  name: 'state',
  label: words.state,
  value: state ?? '',
  options: [
    { value: '', label: words.all },
    ...eventStates.map((value) => ({ value, label: eventWords.states[value].filter })),
  ],
})}
${selectField({
  name: 'flow',
  label: words.flow,
  value: flowId ?? '',
  options: [{ value: '', label: words.all }, ...listening.map(({ id, name }) => ({ value: id, label: cut(name, 20) }))],
})}
${selectField({
  name: 'since',
  label: words.received,
  value: since,
  options: Object.entries(words.since satisfies Record<Since, Words>).map(([value, label]) => ({ value, label })),
})}
<div class="buttons">${button({ label: words.applyFilter, tone: 'plain' })}</div></form>`
}

function listOf({ events, behind, flows, may, nowMs }: DeliveriesView, address: string): Html {
  const aheadOf = ({ id }: EventSummary) => {
    const head = behind.get(id)
    return head && { event: head, address: may.open ? `${address}/${head.id}` : undefined }
  }
  const names = new Map(flows.map(({ id, name }) => [id, name]))
  return table({
    caption: words.caption,
    rows: events,
    columns: [
      {
        title: words.received,
        cell: ({ id, acceptedAtMs }: EventSummary) =>
          may.open ? html`<a href="${address}/${id}">${time(acceptedAtMs, nowMs)}</a>` : time(acceptedAtMs, nowMs),
      },
      {
        title: words.flow,
        cell: ({ flowId, path, replayOf }) =>
          html`${cut(names.get(flowId) ?? flowId, 30)}${replayOf !== undefined && html` ${tag(words.replay)}`}<br><code class="soft small">${path}</code>`,
      },
      {
        title: words.state,
        cell: (event) =>
          html`${eventState(event)}<br><span class="soft small">${eventDetail(event, nowMs, aheadOf(event))}</span>`,
      },
      { title: words.attempts, number: true, cell: ({ attempts }) => attempts },
      { title: words.body, number: true, cell: ({ bodyBytes }) => eventWords.bytes(bodyBytes) },
      {
        title: words.lastError,
        cell: ({ lastError }) =>
          lastError === undefined
            ? ''
            : html`<span class="small">${attemptErrorWords(lastError) ?? cut(lastError, 120)}</span>`,
      },
    ],
  })
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function deadLetterActions({ bot, flowId }: DeliveriesView): Html {
  const { deadLetters } = words
  const ask = (action: string, label: Words, tone: 'plain' | 'dangerous') =>
    html`<form method="get" action="/bots/${bot.id}/dead-letters/${action}">${flowId !== undefined && html`<input type="hidden" name="flow" value="${flowId}">`}${button({ label, tone })}</form>`
  return html`<section class="card" aria-labelledby="dead-letters"><div class="stack tight"><h2 id="dead-letters">${deadLetters.title}</h2>
<p>${flowId === undefined ? deadLetters.about : deadLetters.aboutOfFlow}</p></div>
<div class="buttons">${ask('replay', deadLetters.replayAll, 'plain')}${ask('discard', deadLetters.discardAll, 'dangerous')}</div></section>`
}

function emptyList({ isFirst, state, flowId, since }: DeliveriesView): Html {
  if (!isFirst) return html`<p>${botFrameWords.nothingEarlier}</p>`
  if (state !== undefined || flowId !== undefined || since !== 'any') {
    return html`<p>${words.noneLikeThis}</p>`
  }
  return emptyState({ title: words.none.title, body: html`<p>${words.none.body}</p>` })
}
