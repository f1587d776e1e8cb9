import type { FastifyReply } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import { type FormResult, resultOfRefusal } from '../../pages/account-errors.ts'
import type { Flash } from '../../pages/flash.ts'
import type { ReturnOptions } from '../../pages/kept-form.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import type { Done } from './views/done-notice.ts'

export interface AccountFormServices {
  guard: PageGuard
  flash: Flash
}

/** Redirects to the account page, which shows the message. */
export function redirectToAccount({ flash }: AccountFormServices, reply: FastifyReply, done: Done): FastifyReply {
  return flash.redirect(reply, '/account', done)
}

/** Options for forms on the account page. After signing in again, the user returns to the account page. */
export const onAccount: ReturnOptions = { page: () => '/account' }

/** Applies a form's change. Returns the response if the change is refused, or `undefined` on success. */
export async function applyChange(
  { request, reply, session }: SignedInRequest,
  work: () => Promise<unknown>,
): Promise<FormResult | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof AccountRefusal)) throw error
    request.log.info({ reasons: error.reasons, user: session.userId }, 'account change refused')
    return resultOfRefusal(reply, error)
  }
}
