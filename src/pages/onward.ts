import type { FastifyRequest } from 'fastify'
import { portalClientId } from '../domain/applications/portal-application.ts'
import type { ClientId } from '../domain/ids.ts'
import { ownPath } from '../http/own-path.ts'
import type { Text } from './html.ts'
import { portalPlace } from './places.ts'

/** The authorization attempt on whose way a page was reached, as far as pages need to know it. */
export interface PageAttempt {
  id: string
  application: { clientId: ClientId; name: string }
  /** To this origin a form on the way may lead by redirects. */
  redirectOrigin: string
}

export interface AttemptFinder {
  attempts: { find(id: string): Promise<PageAttempt | undefined> }
}

/** Where a person goes on once a page has done its work. */
export interface Onward {
  attempt: PageAttempt | undefined
  /** A page of ours that they came from: a path of this host. */
  returnTo: string | undefined
}

/** As the address has it: `?attempt=`, or `?return_to=`. */
export function onwardInAddress(request: FastifyRequest, authorization: AttemptFinder): Promise<Onward> {
  return readOnward(request.query as Record<string, unknown>, authorization)
}

/** As {@link onwardText} gave it away. */
export function onwardOf(text: string | null, authorization: AttemptFinder): Promise<Onward> {
  return readOnward(Object.fromEntries(new URLSearchParams(text ?? '')), authorization)
}

/**
 * An attempt that is not known counts as none, and of a page to return to only the path on this very host is taken: no
 * link can lead a person elsewhere after signing in.
 */
async function readOnward(
  { attempt, return_to: returnTo }: Record<string, unknown>,
  authorization: AttemptFinder,
): Promise<Onward> {
  const found = typeof attempt === 'string' ? await authorization.attempts.find(attempt) : undefined
  return { attempt: found, returnTo: found === undefined ? ownPath(returnTo) : undefined }
}

/** The same as text, to be handed over and read again. */
export function onwardText({ attempt, returnTo }: Onward): string | undefined {
  if (attempt !== undefined) return `attempt=${encodeURIComponent(attempt.id)}`
  return returnTo === undefined ? undefined : `return_to=${encodeURIComponent(returnTo)}`
}

/** A page's address that keeps where to go on. */
export function keepingOnward(path: string, onward: Onward): string {
  const text = onwardText(onward)
  return text === undefined ? path : `${path}?${text}`
}

/** Where to go once a page has done its work: on with the attempt, back to where the person came from, or home. */
export function onwardAddress({ attempt, returnTo }: Onward, home = '/account'): string {
  return attempt === undefined ? (returnTo ?? home) : `/auth/consent?attempt=${encodeURIComponent(attempt.id)}`
}

/** What asks the person to sign in, when an application does; the portal by its name in the page's language. */
export function applicationAhead({ attempt }: Onward): Text | undefined {
  return attempt?.application.clientId === portalClientId ? portalPlace.name : attempt?.application.name
}

/** Origins to which a form of this page may lead, for the page's content security policy. */
export function formOrigins({ attempt }: Onward): readonly string[] {
  return attempt === undefined ? [] : [attempt.redirectOrigin]
}
