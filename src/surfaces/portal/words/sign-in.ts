import { t, type Words } from '../../../pages/html.ts'

/** Text for the portal's sign-in, sign-out and 404 pages. */
export const portalSignInWords = {
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
