import type { LinkPurpose, LiveLink } from '../../../domain/accounts/recovery/one-time-link-store.ts'
import { accountForm, type FormErrors, hasErrors, newPasswordField, newPinFields } from '../../../pages/account-form.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { choices } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { withDestination } from '../../../pages/destination.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { linkWords } from '../words.ts'

const { invalid } = linkWords
const signIn = (href: string) => ({ label: linkWords.signIn, href })
const account = { label: linkWords.account, href: '/account' }

export interface LinkForm {
  formToken: string
  clearTextToken: string
  userName: string
  email: string | null
  emailState: LiveLink['emailState']
  errors: FormErrors
}

export function verifyEmailPage({ formToken, clearTextToken, userName, email, errors }: LinkForm): Html {
  const said = linkWords.email
  return page({
    title: said.title,
    place: identityPlace,
    formToken,
    width: 'narrow',
    body: html`<h1>${said.heading}</h1>
<p>${said.about(userName, email)}</p>
${accountForm({
  action: '/verify-email',
  errors,
  does: said.does,
  fields: [hiddenToken(clearTextToken)],
})}`,
  })
}

export function passwordByLinkPage({ formToken, clearTextToken, userName, emailState, errors }: LinkForm): Html {
  const said = linkWords.password
  const neverConfirmed = emailState === 'unverified'
  return page({
    title: hasErrors(errors) ? said.refused : said.title,
    place: identityPlace,
    formToken,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.about(userName)}</p>
${neverConfirmed && notice({ tone: 'warn', body: said.access.neverConfirmed })}
${accountForm({
  action: '/reset-password',
  errors,
  does: said.does,
  fields: [
    newPasswordField(errors, { autofocus: true }),
    !neverConfirmed &&
      choices({
        name: 'remove_access',
        label: said.access.question,
        choose: 'several',
        among: [{ value: 'yes', label: said.access.remove, hint: said.access.what }],
        chosen: [],
      }),
    hiddenToken(clearTextToken),
  ],
})}`,
  })
}

export function pinByLinkPage({ formToken, clearTextToken, userName, errors }: LinkForm): Html {
  const said = linkWords.pin
  return page({
    title: hasErrors(errors) ? said.refused : said.title,
    place: identityPlace,
    formToken,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.about(userName)}</p>
${accountForm({
  action: '/recover-pin',
  errors,
  does: said.does,
  fields: [...newPinFields(errors), hiddenToken(clearTextToken)],
})}`,
  })
}

/** Renders the link's token as a hidden field. The page isn't cached, because all pages are sent with `no-store`. */
function hiddenToken(clearTextToken: string): Html {
  return html`<input type="hidden" name="token" value="${clearTextToken}">`
}

/** What using a link did. `secrets-ended` is a first proof that also ended secrets of applications. */
export type UsedMessage = 'used' | 'access-removed' | 'first-proof' | 'secrets-ended'

/** Renders the confirmation shown after a link has been used. */
export function linkUsedPage(
  purpose: LinkPurpose,
  urls: { signInAddress: string; applicationsAddress: string },
  message: UsedMessage,
): Html {
  const { title, said } = linkWords.used[purpose]
  const wayOn = purpose === 'reset-password' ? signIn(urls.signInAddress) : account
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${message === 'used' ? said : linkWords.used[message]}</p>
${message === 'secrets-ended' && notice({ tone: 'warn', body: linkWords.used.newSecrets(urls.applicationsAddress) })}
<div class="buttons">${linkButton({ ...wayOn, tone: 'primary' })}</div>`,
  })
}

interface OnwardUrls {
  signInAddress: string
  /** URL of the page for requesting another link. */
  again: string
}

/** Returns what to do about an invalid link, as text and links. */
function adviceFor(purpose: LinkPurpose, byMail: boolean, { signInAddress, again }: OnwardUrls) {
  if (purpose === 'verify-email') {
    return {
      whatToDo: invalid.seeAccount,
      ways: [linkButton({ ...account, tone: 'primary' })],
    }
  }
  if (purpose === 'reset-password' && byMail) {
    return {
      whatToDo: invalid.askAgain,
      ways: [
        linkButton({ label: invalid.newLink, href: again, tone: 'primary' }),
        linkButton({ ...signIn(signInAddress), tone: 'plain' }),
      ],
    }
  }
  return {
    whatToDo: invalid.askOperator,
    ways: [linkButton({ ...signIn(signInAddress), tone: 'primary' })],
  }
}

/**
 * Renders the page for an unknown, used, replaced or expired link. The page doesn't reveal which of these is the case.
 */
export function linkInvalidPage(
  purpose: LinkPurpose,
  byMail: boolean,
  waysOn: OnwardUrls,
  person: Person | undefined,
): Html {
  const { what, why } = invalid
  return errorPage({ what, why, ...adviceFor(purpose, byMail, waysOn) }, { place: identityPlace, person })
}

/** @param here the link's URL, for returning after sign-in. `undefined` if another user is signed in. */
export function signInFirstPage(here: string | undefined): Html {
  const { what, why, signedOut, anotherAccount } = linkWords.signInFirst
  const way =
    here === undefined
      ? linkButton({ ...account, tone: 'primary' })
      : linkButton({ ...signIn(withDestination('/sign-in', { attempt: undefined, returnTo: here })), tone: 'primary' })
  const whatToDo = here === undefined ? anotherAccount : signedOut
  return errorPage({ what, why, whatToDo, ways: [way] }, { place: identityPlace })
}

/** Renders the page for a link whose email address now belongs to another account. */
export function emailTakenPage(): Html {
  const ways = [linkButton({ ...signIn('/sign-in'), tone: 'plain' })]
  return errorPage({ ...linkWords.taken, ways }, { place: identityPlace })
}
