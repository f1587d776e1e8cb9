import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../domain/accounts/accounts.ts'
import type { KeptForms } from '../domain/accounts/kept-forms.ts'
import type { Flash } from './flash.ts'
import { formTexts } from './form-fields.ts'
import type { KeptInput } from './html.ts'
import { keepingOnward, type Onward } from './onward.ts'
import type { BrowserSessions } from './sessions.ts'

export interface KeptFormServices {
  sessions: BrowserSessions
  keptForms: KeptForms
  flash: Flash
}

/** What of a form survives the end of the session that it was filled in with. */
export interface LateForm {
  /** The page that the form stands on. Default: its own address has one. */
  page?: (request: FastifyRequest) => string
  /** Names of the fields that are kept. Never one for a password, a PIN, a secret or a key. */
  keeps?: readonly string[]
}

/**
 * Where somebody without a session returns to after the sign-in: the page asked for; or the page of the form that was
 * sent, with what was typed in it. The form's token is checked before.
 */
export async function wayBack(
  services: KeptFormServices,
  request: FastifyRequest,
  late: LateForm = {},
): Promise<string> {
  if (request.method !== 'POST') return request.url
  const page = late.page?.(request) ?? pathOf(request.url)
  const userId = services.sessions.lastUser(request)
  if (userId === undefined) return page
  const fields = Object.fromEntries((late.keeps ?? []).map((name) => [name, formTexts(request, name)]))
  const id = await services.keptForms.keep(userId, { page: pathOf(page), fields })
  return id === undefined ? page : `${page}${page.includes('?') ? '&' : '?'}kept=${id}`
}

/** Whether the way leads back to a form that came too late. */
export function cameLate({ returnTo = '' }: Onward): boolean {
  return /[?&]kept=/.test(returnTo)
}

/** Sends the browser to the sign-in of the identity surface, and from there to {@link wayBack}. */
export async function leadToSignIn(
  services: KeptFormServices,
  request: FastifyRequest,
  reply: FastifyReply,
  late?: LateForm,
): Promise<FastifyReply> {
  const back = await wayBack(services, request, late)
  const returnTo = back === '/account' ? undefined : back
  return reply.redirect(
    keepingOnward('/sign-in', { attempt: undefined, returnTo }),
    request.method === 'POST' ? 303 : 302,
  )
}

/** What its person had typed on this page before they had to sign in again. */
export async function keptInputOf(
  { keptForms }: KeptFormServices,
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
