import type { FastifyReply } from 'fastify'
import type { AccountServices } from '../../pages/account-services.ts'
import { objectHead } from '../../pages/components/elements.ts'
import { type Destination, destinationInUrl, withDestination } from '../../pages/destination.ts'
import { done } from '../../pages/form-posts.ts'
import type { Admit } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { type AccountPart, accountParts, accountPlace } from '../../pages/places.ts'

export interface OnwardVisit extends SignedInRequest {
  onward: Destination
}

/** Admits signed-in users and preserves their destination, even if they have to sign in first. */
export function withOnward({ guard, authorization }: AccountServices): Admit<OnwardVisit> {
  return (work) =>
    guard.signedIn(
      async (visit) => {
        const onward = await destinationInUrl(visit.request, authorization)
        // `show` renders this object.
        visit.person.signOutAction = withDestination('/sign-out', onward)
        return work({ ...visit, onward })
      },
      {
        // During an authorization, sign-in keeps the attempt instead of this page's URL. The consent endpoint then
        // redirects to the attempt's next step, which may be another page.
        async signInAddress(request) {
          const onward = await destinationInUrl(request, authorization)
          return onward.attempt && withDestination('/sign-in', onward)
        },
      },
    )
}

export function sendAccountPart({ show, done: notice }: SignedInRequest, part: AccountPart, body: Html): FastifyReply {
  return show({
    title: part === 'profile' ? t`Your account` : accountParts[part].name,
    place: accountPlace,
    ...(part !== 'profile' && { trail: [{ name: accountParts[part].name }] }),
    width: 'wide',
    body: html`${objectHead({
      name: t`Your account`,
      label: t`Sections of your account`,
      pages: Object.entries(accountParts).map(([each, { name, href }]) => ({ name, href, current: each === part })),
    })}
${notice}
${body}`,
  })
}

export const accountDone = {
  name: done(t`Name changed.`),
  email: done(t`Email address changed. Use it the next time you sign in.`),
  emailMailed: done(t`Link sent. Open it within 24 hours to confirm the address.`),
  emailKept: done(t`Your email address stays the same.`),
  password: done(t`Password saved. You’re signed out everywhere else.`),
  pin: done(t`PIN saved. This browser is unlocked.`),
  session: done(t`Browser signed out.`),
  sessions: done(t`You’re signed out everywhere else.`),
  application: done(t`Access revoked. The application’s tokens no longer work.`),
}
