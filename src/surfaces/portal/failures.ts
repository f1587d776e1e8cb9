import type { FastifyRequest } from 'fastify'
import type { FailedRequest } from '../../domain/applications/request-log.ts'
import { redirectFaultReasons } from '../../domain/authorization/authorization-request.ts'
import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import { oauthReasons, requestFaultDescriptions } from '../../oauth/responses.ts'
import { plural, t, translatable, type Words } from '../../pages/html.ts'

export const sinceHours = { month: undefined, week: 168, day: 24, hour: 1 } as const
export type Since = keyof typeof sinceHours

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

export const failuresWords = {
  since: { month: t`Last 30 days`, week: t`Last 7 days`, day: t`Last 24 hours`, hour: t`Last hour` },
  places: { consent: t`Consent`, credentials: t`Client authentication`, token: t`Token`, userinfo: t`Userinfo` },
  moreUris: (count: number): Words =>
    plural(count, t`${count} more redirect URI is in the export.`, t`${count} more redirect URIs are in the export.`),
}

const reasons: readonly string[] = [
  ...new Set<string>([...oauthReasons, ...redirectFaultReasons, ...Object.keys(requestFaultDescriptions)]),
  'client-secret-wrong',
]
/** Reasons whose translation names the parameter at fault. */
const named: readonly string[] = ['parameter-repeated', 'parameter-missing', 'parameter-not-a-string']
/** Reasons with two translations, one of which names the scope at fault. */
const perhapsNamed: readonly string[] = ['scope-exceeds-grant', 'scope-unknown']

const context = 'failed request'

/** The IDs of the translations, for the catalogues. The English text is the `error_description` sent to the client. */
export const failureMessages = reasons.flatMap((reason) => [
  ...(named.includes(reason) ? [] : [{ context, id: reason }]),
  ...(named.includes(reason) || perhapsNamed.includes(reason) ? [{ context, id: `${reason} {0}` }] : []),
])

/** Returns why a request failed, or `undefined` if the reason was recorded by another release and is unknown. */
export function failureWords({ reason, parameter, description }: FailedRequest): Words | undefined {
  if (reason === null || !reasons.includes(reason)) return undefined
  const isNamed = named.includes(reason) || (perhapsNamed.includes(reason) && Boolean(parameter))
  return translatable(description, context, isNamed ? `${reason} {0}` : reason, [parameter])
}
