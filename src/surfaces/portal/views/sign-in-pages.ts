import { linkButton } from '../../../pages/components/button.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace, portalPlace } from '../../../pages/places.ts'

/** Text for the portal's sign-in, sign-out and 404 pages. */
const words = {
  signedOut: t`Signed out`,
  signedOutHeading: t`You’re signed out of the developer portal`,
  accountToo: (address: string): Words =>
    t.html`You may still be signed in to your account. On a shared computer, <a href="${address}">sign out there</a> too.`,
  signIn: t`Sign in`,
  startAgain: t`Start again`,
  faults: {
    'state-unknown': {
      what: t`This sign-in wasn’t started in this browser`,
      why: t`It started in another browser or over an hour ago, or the portal’s cookie is missing. You’re not signed in.`,
      whatToDo: t`Start again. If it keeps happening, allow cookies for this site.`,
    },
    denied: {
      what: t`You’re not signed in`,
      why: t`The sign-in was cancelled. Nothing was shared.`,
      whatToDo: t`You can start again at any time.`,
    },
    refused: {
      what: t`This sign-in can’t be completed`,
      why: t`Its code was already used or is older than 5 minutes. This happens if the page is opened twice.`,
      whatToDo: t`Start again. If you’re still signed in to your account, it takes one step.`,
    },
  },
  noSuchApplication: {
    what: t`Application not found`,
    why: t`It was deleted, or it belongs to another account.`,
    whatToDo: t`Check the URL, or choose one of your applications.`,
  },
}

/**
 * Renders the page shown after sign-out. The user's session on the account pages continues, so the page links there.
 */
export function signedOutPage(accountAddress: string): Html {
  return page({
    title: words.signedOut,
    place: portalPlace,
    width: 'narrow',
    body: html`<h1>${words.signedOutHeading}</h1>
<p>${words.accountToo(accountAddress)}</p>
<div class="buttons">${linkButton({ label: words.signIn, href: '/', tone: 'primary' })}</div>`,
  })
}

export type SignInFault = keyof typeof words.faults

export function signInFaultPage(fault: SignInFault, errorId: string): Html {
  const ways = [linkButton({ label: words.startAgain, href: '/', tone: 'primary' })]
  return errorPage({ ...words.faults[fault], ways, errorId }, { place: portalPlace })
}

/**
 * Renders an application's 404 page. The page is the same for an application that doesn't exist and for another owner's
 * application.
 */
export function unknownApplicationPage(person: Person): Html {
  const ways = [linkButton({ label: t`Applications`, href: '/', tone: 'plain' })]
  return errorPage({ ...words.noSuchApplication, ways }, { place: applicationsPlace, trail: [], person })
}
