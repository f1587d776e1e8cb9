import type { FastifyRequest } from 'fastify'
import type { ClientId } from '../domain/ids-and-secrets.ts'
import { ownPath } from '../http/request-origin.ts'
import { markAttemptPage } from './page.ts'

interface PageAttempt {
  id: string
  application: { clientId: ClientId; name: string }
}

export interface AttemptFinder {
  attempts: { find(id: string): Promise<PageAttempt | { id: string; fault: unknown } | undefined> }
}

export interface Destination {
  attempt: PageAttempt | undefined
  /** Path on this host to return to. */
  returnTo: string | undefined
}

/** Reads the destination from the URL: `?attempt=` or `?return_to=`. */
export function destinationInUrl(request: FastifyRequest, authorization: AttemptFinder): Promise<Destination> {
  return readOnward(request, request.query as Record<string, unknown>, authorization)
}

/** Parses the request's destination, which was serialized by {@link onwardText}. */
export function onwardOf(
  request: FastifyRequest,
  text: string | null,
  authorization: AttemptFinder,
): Promise<Destination> {
  return readOnward(request, Object.fromEntries(new URLSearchParams(text ?? '')), authorization)
}

/**
 * Ignores unknown attempts, and URLs that aren't a path on this host, so that no link can send a user to another site
 * after sign-in. If there is an attempt, the request's page belongs to it.
 */
async function readOnward(
  request: FastifyRequest,
  { attempt, return_to: returnTo }: Record<string, unknown>,
  authorization: AttemptFinder,
): Promise<Destination> {
  const found = typeof attempt === 'string' ? await authorization.attempts.find(attempt) : undefined
  if (found === undefined) return { attempt: undefined, returnTo: ownPath(returnTo) }
  markAttemptPage(request)
  // The consent endpoint says why the attempt can't continue.
  if ('fault' in found) return { attempt: undefined, returnTo: consentPath(found) }
  return { attempt: found, returnTo: undefined }
}

/** Serializes a destination as a query string, which {@link onwardOf} can parse. */
export function onwardText({ attempt, returnTo }: Destination): string | undefined {
  if (attempt !== undefined) return `attempt=${encodeURIComponent(attempt.id)}`
  return returnTo === undefined ? undefined : `return_to=${encodeURIComponent(returnTo)}`
}

export function withDestination(path: string, onward: Destination): string {
  const text = onwardText(onward)
  return text === undefined ? path : `${path}?${text}`
}

/** Returns the URL to go to after this page: the attempt's consent page, a page to return to, or `home`. */
export function destinationUrl({ attempt, returnTo }: Destination, home = '/account'): string {
  return attempt === undefined ? (returnTo ?? home) : consentPath(attempt)
}

function consentPath({ id }: { id: string }): string {
  return `/auth/consent?attempt=${encodeURIComponent(id)}`
}
