import type { FastifyRequest } from 'fastify'
import type { Session } from '../domain/accounts/accounts.ts'
import type { KeptForms } from '../domain/accounts/kept-forms.ts'
import type { Destination } from './destination.ts'
import { formTexts } from './form-posts.ts'
import type { KeptInput } from './html.ts'
import type { BrowserSessions } from './sessions.ts'

/** How a user gets back to a form after signing in again. */
export interface ReturnOptions {
  /** Returns the URL of the page with the form. Default: the URL to which the form posts. */
  page?: (request: FastifyRequest) => string
  /** Names of the fields whose input is kept. Never passwords, PINs, secrets or keys. */
  keeps?: readonly string[]
}

/**
 * Returns the URL to open after a user without a session has signed in: the requested page or, for a POST, the page
 * with the form. Stores the fields in `keeps` for that page if the browser's last user is known. The form token must
 * already be verified.
 */
export async function returnUrlOf(
  sessions: BrowserSessions,
  keptForms: KeptForms,
  request: FastifyRequest,
  { page: pageOf, keeps = [] }: ReturnOptions,
): Promise<string> {
  if (request.method !== 'POST') return request.url
  const page = pageOf?.(request) ?? pathOf(request.url)
  const userId = sessions.lastUser(request)
  if (userId === undefined) return page
  const fields = Object.fromEntries(keeps.map((name) => [name, formTexts(request, name)]))
  const id = await keptForms.keep(userId, { page: pathOf(page), fields })
  return id === undefined ? page : `${page}${page.includes('?') ? '&' : '?'}kept=${id}`
}

/** Returns whether the user is returning to a form that was posted after its session had ended. */
export function isReturnToKeptForm({ returnTo = '' }: Destination): boolean {
  return /[?&]kept=/.test(returnTo)
}

/** Returns the input that the user posted from this page after their session had ended. */
export async function keptInputOf(
  keptForms: KeptForms,
  request: FastifyRequest,
  { userId }: Session,
): Promise<KeptInput | undefined> {
  const { kept } = request.query as Record<string, unknown>
  if (typeof kept !== 'string' || request.method !== 'GET') return undefined
  return keptForms.find(userId, kept, pathOf(request.url))
}

export function pathOf(address: string): string {
  return address.split('?', 1)[0] ?? '/'
}
