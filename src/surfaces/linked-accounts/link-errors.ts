import type { LinkRefusalReason } from '../../domain/accounts/linked-accounts/linked-account-store.ts'
import { t, type Words } from '../../pages/html.ts'
import type { providerWords } from '../../pages/words/providers.ts'

interface LinkError {
  status: 400 | 403 | 404 | 409 | 502 | 503
  what: Words
  why: Words
  whatToDo: Words
}

/** Error pages of refusals. Some depend on whether the user was linking an account or signing in. */
export const linkErrors: Record<
  LinkRefusalReason,
  (provider: ReturnType<typeof providerWords>, linking: boolean | undefined) => LinkError
> = {
  denied: ({ starts }, linking) => ({
    status: 403,
    what: t`${starts} did not confirm who you are`,
    why: t`You declined the request at the provider. Nothing was changed.`,
    whatToDo: linking ? t`To try again, go back to your linked accounts.` : t`Try again, or sign in another way.`,
  }),
  'provider-unreachable': ({ starts }, linking) => ({
    status: 503,
    what: t`${starts} isn’t responding`,
    why: t`It is slow, down or unreachable from here. Nothing was changed.`,
    whatToDo: linking ? t`Try again later.` : t`Try again later, or sign in another way.`,
  }),
  'provider-refused': ({ starts }) => ({
    status: 502,
    what: t`${starts} rejected the request`,
    why: t`The provider did not accept a request from this service. Nothing was changed.`,
    whatToDo: t`Try again. If it keeps happening, give the operator the error ID. The service’s settings may be wrong.`,
  }),
  'answer-malformed': ({ is }) => ({
    status: 502,
    what: t`The response from ${is} is invalid`,
    why: t`Its response doesn’t identify you reliably. Nothing was changed.`,
    whatToDo: t`Try again. If it keeps happening, give the operator the error ID.`,
  }),
  'provider-unknown': () => ({
    status: 404,
    what: t`This provider isn’t available`,
    why: t`It isn’t set up on this service, or was removed.`,
    whatToDo: t`Use one of the available options.`,
  }),
  'visit-unknown': () => ({
    status: 400,
    what: t`This sign-in was already used or has expired`,
    why: t`Each sign-in works once, within 15 minutes, and only in the browser that started it.`,
    whatToDo: t`If you’re already signed in, or the account is already linked, you’re done. Otherwise, start again.`,
  }),
  'signed-out-meanwhile': ({ is }) => ({
    status: 403,
    what: t`The account was not linked`,
    why: t`You signed out or switched accounts while you were at ${is}.`,
    whatToDo: t`Sign in and link the account again from your account page.`,
  }),
  'sign-in-again': () => ({
    status: 403,
    what: t`Sign in again first`,
    why: t`You signed in more than 15 minutes ago. Changing linked accounts needs a recent sign-in.`,
    whatToDo: t`After you sign in again, make the change.`,
  }),
  'user-disabled': () => ({
    status: 403,
    what: t`Your account is disabled`,
    why: t`The operator disabled it.`,
    whatToDo: t`Contact the operator.`,
  }),
  'sign-up-closed': ({ is }) => ({
    status: 403,
    what: t`Your account at ${is} isn’t linked to an account here`,
    why: t`Sign-up is closed.`,
    whatToDo: t`If you have an account here, sign in another way and link the two accounts on your account page. If not, ask the operator for an account.`,
  }),
  'email-taken': ({ is }) => ({
    status: 409,
    what: t`Your email address already has an account`,
    why: t`It isn’t linked to your account at ${is}, and a matching address isn’t enough to sign in.`,
    whatToDo: t`Sign in another way, then link the account on your account page.`,
  }),
  'account-taken': ({ is }) => ({
    status: 409,
    what: t`The account was not linked`,
    why: t`Your account at ${is} is linked to another user of this service.`,
    whatToDo: t`First sign in with ${is} and unlink the account from that user.`,
  }),
  'another-linked': ({ is }) => ({
    status: 409,
    what: t`The account was not linked`,
    why: t`Another account at ${is} is already linked to yours.`,
    whatToDo: t`Unlink that account first.`,
  }),
  'not-linked': ({ is }) => ({
    status: 404,
    what: t`There is nothing to unlink`,
    why: t`You have no linked account at ${is}.`,
    whatToDo: t`Go back to your linked accounts.`,
  }),
  'last-way-to-sign-in': ({ is }) => ({
    status: 409,
    what: t`You would lock yourself out`,
    why: t`Your account at ${is} is your only way to sign in.`,
    whatToDo: t`Add a passkey, set a password or link another account first.`,
  }),
}
