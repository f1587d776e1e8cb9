import { linkButton } from '../../../pages/components/button.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace, portalPlace } from '../../../pages/places.ts'
import { portalSignInWords as words } from '../words/sign-in.ts'

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
