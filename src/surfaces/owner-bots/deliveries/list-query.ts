import type { FlowId } from '../../../domain/ids-and-secrets.ts'
import { isoTimeMs } from '../../../domain/iso-time.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { causePattern } from '../../../domain/webhooks/dead-letter-causes.ts'
import type { CauseFilter } from '../../../domain/webhooks/event-changes.ts'
import { type EventState, eventStates } from '../../../domain/webhooks/event-log.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'

export const sinceHours = { any: undefined, hour: 1, day: 24, week: 168 } as const
export type Since = keyof typeof sinceHours
export const sinceWords: Readonly<Record<Since, Words>> = {
  any: t`Any time`,
  hour: t`Last hour`,
  day: t`Last 24 hours`,
  week: t`Last 7 days`,
}

export interface ListQuery {
  state?: EventState | undefined
  flowId?: FlowId | undefined
  /** Name of a cause of dead letters. The state is then `dead`. */
  cause?: string | undefined
  since: Since
  /** Start and end of a custom range, in UTC, such as `2026-11-23T14:00`. They take precedence over `since`. */
  from?: string | undefined
  until?: string | undefined
  /** Search text: an event ID, or text in bodies. */
  search: string
  /** Where the page starts. Absent for the newest events. */
  before?: string | undefined
}

export const noFilter: ListQuery = { since: 'any', search: '' }

const minutePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/

/** Reads the query. Returns `unknown` if a value is none of the choices. The caller checks whether the flow exists. */
export function readListQuery(query: Record<string, unknown>, flowId: FlowId | undefined): ListQuery | 'unknown' {
  const state = chosenFilter(eventStates, query.state)
  const since = chosenFilter(Object.keys(sinceHours) as Since[], query.since)
  const [from, until] = [minuteOf(query.from), minuteOf(query.until)]
  const search = searchText(query.q)
  if (state === 'unknown' || since === 'unknown' || from === 'unknown' || until === 'unknown') return 'unknown'
  const cause = query.cause === undefined || query.cause === '' ? undefined : query.cause
  if (cause !== undefined && (typeof cause !== 'string' || !causePattern.test(cause))) return 'unknown'
  const before = typeof query.before === 'string' && query.before !== '' ? query.before : undefined
  const isCustom = from !== undefined || until !== undefined
  const range = { since: isCustom ? 'any' : (since ?? 'any'), from, until } as const
  return { state: cause === undefined ? state : 'dead', flowId, cause, ...range, search, before }
}

/** Returns a list's search text from the URL, cut to its maximum length. */
export function searchText(q: unknown): string {
  return typeof q === 'string' ? q.trim().slice(0, limits.deliverySearchMaxCharacters) : ''
}

/** Returns the filter without the search text. */
export function filterOf({ state, flowId, cause, since, from, until }: ListQuery, nowMs: number): CauseFilter {
  const of = { state, flowId, cause }
  if (from !== undefined || until !== undefined) return { ...of, sinceMs: msOf(from), untilMs: msOf(until) }
  const hours = sinceHours[since]
  return { ...of, sinceMs: hours === undefined ? undefined : nowMs - hours * 3_600_000 }
}

export function isFiltered(query: ListQuery): boolean {
  const { state, flowId, cause, search } = query
  return [state, flowId, cause].some((value) => value !== undefined) || hasRange(query) || search !== ''
}

/** Returns whether the list is live. Older pages aren't, nor search results: each update would repeat the search. */
export function isLive({ before, search }: ListQuery): boolean {
  return before === undefined && search === ''
}

export function hasRange({ since, from, until }: ListQuery): boolean {
  return since !== 'any' || from !== undefined || until !== undefined
}

/** Renders the query as a hidden field, for a form that acts on what the list shows. */
export function listField(query: ListQuery): Html {
  return html`<input type="hidden" name="list" value="${queryText(query, { before: query.before })}">`
}

/** Returns the query for a URL: empty, or beginning with `?`. Fields in `change` replace those of the list's query. */
export function queryText(query: ListQuery, change: Partial<ListQuery> = {}): string {
  const { state, flowId, cause, since, from, until, search, before } = { ...query, before: undefined, ...change }
  const isAny = since === 'any'
  const fields = { state, flow: flowId, cause, since: isAny ? undefined : since, from, until, q: search, before }
  const given = Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Returns the custom range that covers the hour starting at this time. */
export function hourRange(hourMs: number): Pick<ListQuery, 'from' | 'until' | 'since'> {
  return { from: minuteText(hourMs), until: minuteText(hourMs + 3_600_000), since: 'any' }
}

function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16)
}

function minuteOf(text: unknown): string | 'unknown' | undefined {
  if (text === undefined || text === '') return undefined
  if (typeof text !== 'string' || !minutePattern.test(text) || Number.isNaN(msOf(text))) return 'unknown'
  return text
}

function msOf(minute: string | undefined): number | undefined {
  return minute === undefined ? undefined : isoTimeMs(`${minute}Z`)
}

/** Returns the value chosen in a filter: `undefined` if none is chosen, `unknown` if it isn't one of the choices. */
export function chosenFilter<Choice extends string>(
  choices: readonly Choice[],
  named: unknown,
): Choice | 'unknown' | undefined {
  if (named === undefined || named === '') return undefined
  return choices.find((choice) => choice === named) ?? 'unknown'
}
