import type { LinkPurpose } from '../../../domain/accounts/one-time-link-store.ts'
import { linkButton } from '../../../http/components/button.ts'
import { errorPage } from '../../../http/error-page.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

interface AfterUse {
  title: string
  words: string
  way: { label: string; href: string }
}

const signIn = { label: 'Sign in', href: '/sign-in' }
const account = { label: 'Go to your account', href: '/account' }

const afterUse: Record<LinkPurpose, AfterUse> = {
  'verify-email': {
    title: 'Your address is confirmed',
    words: 'Sign in with it from now on. Applications that you allow to see it get it.',
    way: account,
  },
  'reset-password': {
    title: 'Your password is set',
    words: 'You are signed out everywhere. Sign in with the new password. Your PIN is what it was.',
    way: signIn,
  },
  'set-pin': {
    title: 'Your PIN is set',
    words: 'It is asked for the next time an application wants something that it protects.',
    way: account,
  },
}

/** After a link was used up. */
export function linkUsedPage(purpose: LinkPurpose): Html {
  const { title, words, way } = afterUse[purpose]
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${words}</p>
<div class="buttons">${linkButton({ ...way, tone: 'primary' })}</div>`,
  })
}

/** What to do in place of following a link that does not work. */
function anotherWay(purpose: LinkPurpose, byMail: boolean): { whatToDo: string; ways: Html[] } {
  if (purpose === 'verify-email') {
    return {
      whatToDo: 'See in your account whether the address is confirmed. If it is not, send yourself a new link there.',
      ways: [linkButton({ ...account, tone: 'primary' })],
    }
  }
  if (purpose === 'reset-password' && byMail) {
    return {
      whatToDo: 'Ask for a new one. If you have set your password already, sign in with it.',
      ways: [
        linkButton({ label: 'Get a new link', href: '/forgot-password', tone: 'primary' }),
        linkButton({ ...signIn, tone: 'plain' }),
      ],
    }
  }
  return {
    whatToDo: 'Ask whoever runs this service for a new one. If you have used it already, just sign in.',
    ways: [linkButton({ ...signIn, tone: 'primary' })],
  }
}

/** The link is unknown, used up, replaced by a newer one or too old; which of these is nobody else's business. */
export function linkInvalidPage(purpose: LinkPurpose, byMail: boolean): Html {
  const words = {
    what: 'This link does not work any more',
    why: 'It works once and for a limited time, and only the newest one does. Maybe its address was cut off.',
  }
  return errorPage({ ...words, ...anotherWay(purpose, byMail) }, { place: identityPlace })
}

/** Since the link was sent, somebody else has made an account with the address. */
export function emailTakenPage(): Html {
  const words = {
    what: 'This address has an account of its own',
    why: 'Somebody, you maybe, made another account with it since the link was sent. Nothing was changed.',
    whatToDo: 'Sign in with it, or choose another address in your account.',
    ways: [linkButton({ ...signIn, tone: 'plain' })],
  }
  return errorPage(words, { place: identityPlace })
}
