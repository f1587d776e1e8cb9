import type { FastifyRequest } from 'fastify'

/** Requests whose page belongs to an authorization attempt. Each one is dropped with its request. */
const requests = new WeakSet<FastifyRequest>()

/**
 * Records that the page for this request belongs to an authorization attempt. The code that finds the attempt calls
 * this, so that no page has to.
 */
export function markAttemptPage(request: FastifyRequest): void {
  requests.add(request)
}

export function isAttemptPage(request: FastifyRequest): boolean {
  return requests.has(request)
}

/** Returns whether the URL alone shows that its page belongs to an authorization attempt, which may not exist. */
export function namesAttempt(url: string): boolean {
  return /^\/auth\/consent(?:[/?]|$)|[?&]attempt=/.test(url)
}

/**
 * Returns the values of a page's security headers that depend on whether it belongs to an authorization attempt
 * (decision 0011).
 *
 * Inside an attempt, forms may redirect anywhere: browsers apply `form-action` to every redirect that follows a form
 * post, and only the application knows where its callback redirects to. The page also stays connected to the window
 * that opened it, because applications may sign users in through a popup.
 *
 * @param formOrigins other origins to which a page outside an attempt may redirect its forms.
 */
export function headersOfAttempt(isInAttempt: boolean, formOrigins: readonly string[]) {
  if (isInAttempt) return { formAction: '', openerPolicy: 'unsafe-none' }
  const sources = ["'self'", ...formOrigins.map(policySource)]
  return { formAction: ` form-action ${sources.join(' ')};`, openerPolicy: 'same-origin' }
}

/** Returns the origin or, if its host is an IPv6 address, which a policy can't contain, only its scheme. */
function policySource(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return hostname.startsWith('[') ? protocol : origin
}
