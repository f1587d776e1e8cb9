import type { FastifyRequest } from 'fastify'
import type { FailedRequest } from '../../domain/applications/request-log.ts'
import type { RequestPageFault, RequestRedirectFault } from '../../domain/authorization/authorization-request.ts'
import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { OAuthReason } from '../../oauth/responses.ts'
import { plural, t, translatable, type Words } from '../../pages/html.ts'

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

/** Text of an application's log of failed requests. */
export const failuresWords = {
  since: {
    month: t`Last 30 days`,
    week: t`Last 7 days`,
    day: t`Last 24 hours`,
    hour: t`Last hour`,
  },
  places: {
    consent: t`Consent`,
    credentials: t`Client authentication`,
    token: t`Token`,
    userinfo: t`Userinfo`,
  },
  moreUris: (count: number): Words =>
    plural(count, t`${count} more redirect URI is in the export.`, t`${count} more redirect URIs are in the export.`),
}

type FailureReason = OAuthReason | RequestRedirectFault['reason'] | RequestPageFault['kind'] | 'client-secret-wrong'

/**
 * Whether the translation of a reason names the parameter or scope at fault. The English text is the `error_description`
 * sent to the client.
 */
const failureReasons: Record<FailureReason, 'unnamed' | 'named' | 'either'> = {
  'content-type-unsupported': 'unnamed',
  'body-empty': 'unnamed',
  'body-malformed': 'unnamed',
  'body-too-large': 'unnamed',
  'parameter-repeated': 'named',
  'parameter-missing': 'named',
  'parameter-not-a-string': 'named',
  'grant-type-unsupported': 'unnamed',
  'client-credentials-missing': 'unnamed',
  'client-credentials-differ': 'unnamed',
  'client-authentication-failed': 'unnamed',
  'client-secret-wrong': 'unnamed',
  'too-many-failures': 'unnamed',
  'code-unknown': 'unnamed',
  'code-of-another-client': 'unnamed',
  'code-expired': 'unnamed',
  'code-replayed': 'unnamed',
  'code-revoked': 'unnamed',
  'redirect-uri-differs': 'unnamed',
  'verifier-missing': 'unnamed',
  'verifier-unexpected': 'unnamed',
  'verifier-malformed': 'unnamed',
  'verifier-wrong': 'unnamed',
  'refresh-token-unknown': 'unnamed',
  'refresh-token-of-another-client': 'unnamed',
  'refresh-token-expired': 'unnamed',
  'refresh-token-reused': 'unnamed',
  'refresh-token-revoked': 'unnamed',
  'scope-exceeds-grant': 'either',
  'access-token-invalid': 'unnamed',
  'access-token-expired': 'unnamed',
  'access-token-revoked': 'unnamed',
  'state-too-long': 'unnamed',
  'response-type-missing': 'unnamed',
  'response-type-unsupported': 'unnamed',
  'scope-missing': 'unnamed',
  'scope-unknown': 'either',
  'challenge-missing': 'unnamed',
  'challenge-method-unsupported': 'unnamed',
  'challenge-malformed': 'unnamed',
  'pkce-required': 'unnamed',
  'client-id-missing': 'unnamed',
  'client-id-repeated': 'unnamed',
  'client-unknown': 'unnamed',
  'redirect-uri-missing': 'unnamed',
  'redirect-uri-repeated': 'unnamed',
  'redirect-uri-unregistered': 'unnamed',
}

const context = 'failed request'

/** The IDs of the translations, for the catalogues. */
export const failureMessages = Object.entries(failureReasons).flatMap(([reason, names]) => [
  ...(names === 'named' ? [] : [{ context, id: reason }]),
  ...(names === 'unnamed' ? [] : [{ context, id: `${reason} {0}` }]),
])

/** Returns why a request failed, or `undefined` if the reason was recorded by another release and is unknown. */
export function failureWords({ reason, parameter, description }: FailedRequest): Words | undefined {
  if (reason === null || !Object.hasOwn(failureReasons, reason)) return undefined
  const names = failureReasons[reason as FailureReason]
  const isNamed = names === 'named' || (names === 'either' && Boolean(parameter))
  return translatable(description, context, isNamed ? `${reason} {0}` : reason, [parameter])
}
