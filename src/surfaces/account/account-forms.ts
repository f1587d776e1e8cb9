import type { FastifyReply } from 'fastify'
import { type FormResult, refusedForm } from '../../pages/account-form.ts'
import type { Flash } from '../../pages/flash.ts'
import type { ReturnOptions } from '../../pages/kept-form.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import { type AccountPart, accountParts } from '../../pages/places.ts'
import type { Done } from './views/account-frame.ts'

export interface AccountFormServices {
  guard: PageGuard
  flash: Flash
}

/** Redirects to a tab of the account, which shows the message. */
export function redirectToPart(
  { flash }: AccountFormServices,
  reply: FastifyReply,
  part: AccountPart,
  done: Done,
): FastifyReply {
  return flash.redirect(reply, accountParts[part].href, done)
}

/** Returns the options for forms on a tab. After signing in again, the user returns to that tab. */
export function onPart(part: AccountPart): ReturnOptions {
  return { page: () => accountParts[part].href }
}

/** Applies a form's change. Returns the response if the change is refused, or `undefined` on success. */
export async function applyChange(
  visit: SignedInRequest,
  work: () => Promise<unknown>,
): Promise<FormResult | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return refusedForm(error, visit, 'account change refused', { user: visit.session.userId })
  }
}
