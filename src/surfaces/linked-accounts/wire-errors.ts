import type { LinkContext, LinkRefusalReason } from '../../domain/accounts/link-refusal.ts'

/** A refusal as a page. Which way leads on follows from what was to be done; see `views/refused-page.ts`. */
export interface LinkError {
  status: 400 | 403 | 404 | 409 | 502 | 503
  what: string
  why: string
  whatToDo: string
}

/** Where the name of the provider is not known, since there is none of that kind. */
const nameOf = ({ providerName }: LinkContext) => providerName ?? 'the other service'

/** What the pages say of each refusal. */
export const linkErrors: Record<LinkRefusalReason, (context: LinkContext) => LinkError> = {
  denied: (context) => ({
    status: 403,
    what: `${capital(nameOf(context))} was not allowed to tell who you are`,
    why: 'It says that you declined. Nothing was changed here.',
    whatToDo: context.linking
      ? 'Go back to your linked accounts if you want to try again.'
      : 'Try again, or sign in another way.',
  }),
  'provider-unreachable': (context) => ({
    status: 503,
    what: `${capital(nameOf(context))} does not answer right now`,
    why: 'It is slow, out of order, or can not be reached from here. Nothing was changed.',
    whatToDo: context.linking ? 'Try again in a while.' : 'Try again in a while, or sign in another way.',
  }),
  'provider-refused': (context) => ({
    status: 502,
    what: `${capital(nameOf(context))} turned this service away`,
    why: 'It did not accept what this service showed it. Nothing was changed.',
    whatToDo:
      'Try again. If it keeps happening, tell whoever runs this service the error id: its settings may be wrong.',
  }),
  'answer-malformed': (context) => ({
    status: 502,
    what: `The answer of ${nameOf(context)} makes no sense here`,
    why: 'It does not say who you are in a way that this service can rely on. Nothing was changed.',
    whatToDo: 'Try again. If it keeps happening, tell whoever runs this service the error id.',
  }),
  'provider-unknown': () => ({
    status: 404,
    what: 'This service knows no such provider',
    why: 'Whoever runs it has not set one up, or not any more.',
    whatToDo: 'Go on with one of the ways that are offered.',
  }),
  'visit-unknown': (context) => ({
    status: 400,
    what: 'This way in has been used, or is too old',
    why: `What ${nameOf(context)} sent you back with works once, for fifteen minutes, in the browser you started in.`,
    whatToDo: 'If you are where you wanted to be, there is nothing to do. Otherwise start again.',
  }),
  'signed-out-meanwhile': (context) => ({
    status: 403,
    what: 'The account was not linked',
    why: `You signed out, or signed in as somebody else, while you were at ${nameOf(context)}.`,
    whatToDo: 'Sign in and link it again from your account page.',
  }),
  'sign-in-again': () => ({
    status: 403,
    what: 'Sign in again first',
    why: 'You signed in more than 15 minutes ago, and linked accounts open the door to yours.',
    whatToDo: 'Show that it is still you, then make the change.',
  }),
  'sign-up-closed': (context) => ({
    status: 403,
    what: `No account here is linked to your account at ${nameOf(context)}`,
    why: 'New accounts are made by whoever runs this service.',
    whatToDo: 'If you have an account, sign in another way, then link it on your account page. If not, ask for one.',
  }),
  'email-taken': (context) => ({
    status: 409,
    what: 'There is an account with your e-mail address already',
    why: `It is not linked to your account at ${nameOf(context)}, and an address alone does not open it.`,
    whatToDo: 'Sign in with your password, then link it on your account page.',
  }),
  'account-taken': (context) => ({
    status: 409,
    what: 'The account was not linked',
    why: `Your account at ${nameOf(context)} is linked to another user of this service.`,
    whatToDo: 'Sign in with it to see which one, and unlink it there first.',
  }),
  'another-linked': (context) => ({
    status: 409,
    what: 'The account was not linked',
    why: `Another account at ${nameOf(context)} is linked to yours already.`,
    whatToDo: 'Unlink that one first.',
  }),
  'not-linked': (context) => ({
    status: 404,
    what: 'There is nothing to unlink',
    why: `No account at ${nameOf(context)} is linked to yours any more.`,
    whatToDo: 'Go back to your linked accounts.',
  }),
  'last-way-to-sign-in': (context) => ({
    status: 409,
    what: 'You would lock yourself out',
    why: `Your account at ${nameOf(context)} is your only way to sign in.`,
    whatToDo: 'Add a passkey, set a password or link another account first.',
  }),
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
