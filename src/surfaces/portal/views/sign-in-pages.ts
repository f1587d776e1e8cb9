import { linkButton } from '../../../http/components/button.ts'
import { errorPage } from '../../../http/error-page.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { portalPlace } from '../../../http/places.ts'
import type { PortalPerson } from './portal-frame.ts'

/** After signing out. The session at the sign-in itself is another one, and the page says so. */
export function signedOutPage(accountAddress: string): Html {
  return page({
    title: 'Signed out',
    place: portalPlace,
    width: 'narrow',
    body: html`<h1>You are signed out of the developer portal</h1>
<p>You may still be signed in to your account itself. On a computer that others use, <a href="${accountAddress}">sign out there</a> too.</p>
<div class="buttons">${linkButton({ label: 'Sign in', href: '/', tone: 'primary' })}</div>`,
  })
}

/** Why a sign-in did not come to its end. */
export type SignInFault = 'state-unknown' | 'denied' | 'refused'

export function signInFaultPage(fault: SignInFault, errorId: string): Html {
  return errorPage(
    {
      ...words[fault],
      ways: [linkButton({ label: 'Start again', href: '/', tone: 'primary' })],
      errorId,
    },
    { place: portalPlace },
  )
}

const words: Record<SignInFault, { what: string; why: string; whatToDo: string }> = {
  'state-unknown': {
    what: 'This sign-in does not belong to this browser',
    why: 'It was begun in another browser, more than an hour ago, or your browser did not keep the portal’s cookie. You are not signed in.',
    whatToDo: 'Start again from here. If it happens again, allow cookies for this site.',
  },
  denied: {
    what: 'You are not signed in',
    why: 'The sign-in was stopped before it was finished. Nothing was shared.',
    whatToDo: 'Start again when you want to.',
  },
  refused: {
    what: 'This sign-in can not be finished',
    why: 'Its code was used already or is older than 5 minutes, as it is when the page is opened a second time.',
    whatToDo: 'Start again: it is one step if you are still signed in to your account.',
  },
}

/** The same for an application that does not exist and for another person's. */
export function unknownApplicationPage(person: PortalPerson): Html {
  return errorPage(
    {
      what: 'There is no such application',
      why: 'It may be deleted, or it belongs to another account than the one you are signed in with.',
      whatToDo: 'Check the address, or choose one of your applications.',
      ways: [linkButton({ label: 'Applications', href: '/', tone: 'plain' })],
    },
    { place: portalPlace, person },
  )
}
