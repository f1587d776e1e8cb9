import type { FastifyRequest } from 'fastify'

/** The authorization attempt on whose way a page was reached, as far as pages need to know it. */
export interface PageAttempt {
  id: string
  application: { name: string }
  /** To this origin a form on the way may lead by redirects. */
  redirectOrigin: string
}

export interface AttemptFinder {
  attempt(id: string): Promise<PageAttempt | undefined>
}

/**
 * The attempt in the address, `?attempt=`. One that is not known counts as none: the id is all that is
 * ever taken from the address, so no link can lead a person elsewhere after signing in.
 */
export async function attemptInAddress(
  request: FastifyRequest,
  authorization: AttemptFinder,
): Promise<PageAttempt | undefined> {
  const { attempt } = request.query as Record<string, unknown>
  return typeof attempt === 'string' ? authorization.attempt(attempt) : undefined
}

/** A page's address that keeps the attempt. */
export function keepingAttempt(path: string, attempt: PageAttempt | undefined): string {
  return attempt === undefined ? path : `${path}?attempt=${encodeURIComponent(attempt.id)}`
}

/** Where to go once a page has done its work: on with the attempt, else home. */
export function onward(attempt: PageAttempt | undefined): string {
  return attempt === undefined ? '/account' : keepingAttempt('/auth/consent', attempt)
}

/** Origins to which a form of this page may lead, for the page's content security policy. */
export function formOrigins(attempt: PageAttempt | undefined): readonly string[] {
  return attempt === undefined ? [] : [attempt.redirectOrigin]
}
