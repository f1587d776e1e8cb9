import { html, type Words, words } from '../../../pages/html.ts'

/** Texts of the portal's sign-in, and of its 404 pages. */
export const portalSignInWords = {
  signedOut: words({ en: 'Signed out', de: 'Abgemeldet' }),
  signedOutHeading: words({
    en: 'You are signed out of the developer portal',
    de: 'Sie sind vom Entwicklerportal abgemeldet',
  }),
  accountToo: (address: string): Words =>
    words({
      en: html`You may still be signed in to your account itself. On a computer that others use, <a href="${address}">sign out there</a> too.`,
      de: html`Bei Ihrem Konto selbst sind Sie vielleicht noch angemeldet. An einem Computer, den auch andere benutzen, <a href="${address}">melden Sie sich dort</a> ebenfalls ab.`,
    }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  startAgain: words({ en: 'Start again', de: 'Neu beginnen' }),
  faults: {
    'state-unknown': {
      what: words({
        en: 'This sign-in does not belong to this browser',
        de: 'Diese Anmeldung gehört nicht zu diesem Browser',
      }),
      why: words({
        en: 'It was begun in another browser, more than an hour ago, or your browser did not keep the portal’s cookie. You are not signed in.',
        de: 'Sie wurde in einem anderen Browser begonnen, vor mehr als einer Stunde, oder Ihr Browser hat das Cookie des Portals nicht behalten. Sie sind nicht angemeldet.',
      }),
      whatToDo: words({
        en: 'Start again from here. If it happens again, allow cookies for this site.',
        de: 'Beginnen Sie hier neu. Geschieht es wieder, erlauben Sie Cookies für diese Website.',
      }),
    },
    denied: {
      what: words({ en: 'You are not signed in', de: 'Sie sind nicht angemeldet' }),
      why: words({
        en: 'The sign-in was stopped before it was finished. Nothing was shared.',
        de: 'Die Anmeldung wurde abgebrochen. Nichts wurde weitergegeben.',
      }),
      whatToDo: words({ en: 'Start again when you want to.', de: 'Beginnen Sie neu, wann Sie möchten.' }),
    },
    refused: {
      what: words({
        en: 'This sign-in can not be finished',
        de: 'Diese Anmeldung lässt sich nicht abschließen',
      }),
      why: words({
        en: 'Its code was used already or is older than 5 minutes, as it is when the page is opened a second time.',
        de: 'Ihr Code wurde schon benutzt oder ist älter als 5 Minuten, etwa weil die Seite ein zweites Mal geöffnet wurde.',
      }),
      whatToDo: words({
        en: 'Start again: it is one step if you are still signed in to your account.',
        de: 'Beginnen Sie neu: Es ist ein Schritt, wenn Sie bei Ihrem Konto noch angemeldet sind.',
      }),
    },
  },
  noSuchApplication: {
    what: words({ en: 'There is no such application', de: 'Diese Anwendung gibt es nicht' }),
    why: words({
      en: 'It may be deleted, or it belongs to another account than the one you are signed in with.',
      de: 'Vielleicht ist sie gelöscht, oder sie gehört zu einem anderen Konto als dem, mit dem Sie angemeldet sind.',
    }),
    whatToDo: words({
      en: 'Check the address, or choose one of your applications.',
      de: 'Prüfen Sie die Adresse, oder wählen Sie eine Ihrer Anwendungen.',
    }),
  },
}
