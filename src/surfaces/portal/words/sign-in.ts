import { html, type Words, words } from '../../../pages/html.ts'

/** Text for the portal's sign-in, sign-out and 404 pages. */
export const portalSignInWords = {
  signedOut: words({ en: 'Signed out', de: 'Abgemeldet' }),
  signedOutHeading: words({
    en: 'You’re signed out of the developer portal',
    de: 'Sie sind vom Entwicklerportal abgemeldet',
  }),
  accountToo: (address: string): Words =>
    words({
      en: html`You may still be signed in to your account. On a shared computer, <a href="${address}">sign out there</a> too.`,
      de: html`Bei Ihrem Konto sind Sie möglicherweise noch angemeldet. <a href="${address}">Melden Sie sich auch dort ab</a>, wenn andere diesen Computer benutzen.`,
    }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  startAgain: words({ en: 'Start again', de: 'Von vorn beginnen' }),
  faults: {
    'state-unknown': {
      what: words({
        en: 'This sign-in wasn’t started in this browser',
        de: 'Diese Anmeldung wurde nicht in diesem Browser begonnen',
      }),
      why: words({
        en: 'It started in another browser or over an hour ago, or the portal’s cookie is missing. You’re not signed in.',
        de: 'Die Anmeldung wurde in einem anderen Browser oder vor mehr als einer Stunde begonnen. Möglicherweise fehlt auch das Cookie des Portals. Sie sind nicht angemeldet.',
      }),
      whatToDo: words({
        en: 'Start again. If it keeps happening, allow cookies for this site.',
        de: 'Beginnen Sie von vorn. Tritt das Problem wieder auf, erlauben Sie Cookies für diese Website.',
      }),
    },
    denied: {
      what: words({ en: 'You’re not signed in', de: 'Sie sind nicht angemeldet' }),
      why: words({
        en: 'The sign-in was cancelled. Nothing was shared.',
        de: 'Die Anmeldung wurde abgebrochen. Es wurde nichts weitergegeben.',
      }),
      whatToDo: words({ en: 'You can start again at any time.', de: 'Sie können jederzeit von vorn beginnen.' }),
    },
    refused: {
      what: words({ en: 'This sign-in can’t be completed', de: 'Diese Anmeldung lässt sich nicht abschließen' }),
      why: words({
        en: 'Its code was already used or is older than 5 minutes. This happens if the page is opened twice.',
        de: 'Der Code wurde schon verwendet oder ist älter als 5 Minuten. Das kann passieren, wenn die Seite zweimal geöffnet wird.',
      }),
      whatToDo: words({
        en: 'Start again. If you’re still signed in to your account, it takes one step.',
        de: 'Beginnen Sie von vorn. Wenn Sie noch mit Ihrem Konto angemeldet sind, genügt ein Schritt.',
      }),
    },
  },
  noSuchApplication: {
    what: words({ en: 'Application not found', de: 'Anwendung nicht gefunden' }),
    why: words({
      en: 'It was deleted, or it belongs to another account.',
      de: 'Die Anwendung wurde gelöscht oder gehört zu einem anderen Konto.',
    }),
    whatToDo: words({
      en: 'Check the URL, or choose one of your applications.',
      de: 'Prüfen Sie die URL oder wählen Sie eine Ihrer Anwendungen.',
    }),
  },
}
