import type { FastifyRequest } from 'fastify'
import type { FailedRequest } from '../../domain/applications/request-log.ts'
import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import { failuresWords, failureWords } from './failure-words.ts'

/** Time ranges that the log can show, in hours. */
export const sinceHours = { month: undefined, week: 168, day: 24, hour: 1 } as const
export type Since = keyof typeof sinceHours

/** Search text and time range of the log. */
export interface FailureFilter {
  search: string
  since: Since
}

/** Reads the filter from the query. Replaces malformed values with the defaults. */
export function readFailureFilter(request: FastifyRequest): FailureFilter {
  const { search, since } = request.query as Record<string, unknown>
  return {
    search: typeof search === 'string' ? search.trim().slice(0, limits.failureSearchMaxCharacters) : '',
    since: typeof since === 'string' && Object.hasOwn(sinceHours, since) ? (since as Since) : 'month',
  }
}

export function isFiltered({ search, since }: FailureFilter): boolean {
  return search !== '' || since !== 'month'
}

/** Returns the filter as a query string, empty if everything is shown. */
export function queryOf(filter: FailureFilter): string {
  return isFiltered(filter) ? `?${new URLSearchParams({ ...filter })}` : ''
}

/** Returns the failures in the time range whose text on the page, in any language, contains the search text. */
export function filterFailures(
  failures: readonly FailedRequest[],
  { search, since }: FailureFilter,
  nowMs: number,
): FailedRequest[] {
  const hours = sinceHours[since]
  const fromMs = hours === undefined ? 0 : nowMs - hours * 3_600_000
  const wanted = search.toLowerCase()
  const hasText = (failure: FailedRequest) => wanted === '' || textOf(failure).toLowerCase().includes(wanted)
  return failures.filter((failure) => failure.atMs >= fromMs && hasText(failure))
}

function textOf(failure: FailedRequest): string {
  const { place, error, description, redirectUri } = failure
  const shown = [failuresWords.places[place], failureWords(failure)]
  const translated = languages.flatMap((language) => shown.map((words) => words?.in(language) ?? ''))
  return [place, error ?? '', description, redirectUri ?? '', ...translated].join('\n')
}
