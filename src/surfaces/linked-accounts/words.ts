import { type Words, words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

/** `/account/linked`, and the pages on the way to a provider and back. */
export const linkedAccountsWords = {
  title: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
  about: words({
    en: 'You can sign in with each account that is linked here. Nothing is done in your name over there.',
    de: 'Mit jedem Konto, das hier verknüpft ist, können Sie sich anmelden. Dort wird nichts in Ihrem Namen getan.',
  }),
  noProvider: words({
    en: 'Whoever runs this service has set up no provider to link with.',
    de: 'Wer diesen Dienst betreibt, hat keinen Anbieter zum Verknüpfen eingerichtet.',
  }),
  done: {
    linked: words({
      en: 'The account is linked. You can sign in with it from now on.',
      de: 'Das Konto ist verknüpft. Sie können sich von nun an damit anmelden.',
    }),
    unlinked: words({
      en: 'The account is unlinked and opens nothing here any more.',
      de: 'Das Konto ist nicht mehr verknüpft und öffnet hier nichts mehr.',
    }),
  },
  linked: words({ en: 'Linked', de: 'Verknüpft' }),
  notLinked: words({ en: 'Not linked', de: 'Nicht verknüpft' }),
  nameThere: words({ en: 'Name there', de: 'Name dort' }),
  idThere: words({ en: 'Id there', de: 'Kennung dort' }),
  byOperator: words({
    en: 'By whoever runs this service',
    de: 'Vom Betreiber dieses Dienstes',
  }),
  link: (name: string): Words =>
    words({ en: `Link ${providerWords(name).en.is}`, de: `Mit ${providerWords(name).de.to} verknüpfen` }),
  unlink: (name: string): Words =>
    words({ en: `Unlink ${providerWords(name).en.is}`, de: `Verknüpfung mit ${providerWords(name).de.to} lösen` }),
  again: {
    title: words({ en: 'Sign in again to make changes', de: 'Zum Ändern noch einmal anmelden' }),
    withOne: words({
      en: 'You signed in more than 15 minutes ago, and linked accounts open the door to yours. Sign in again with one of them, or sign out at the top of this page, sign in as you always do, and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet, und verknüpfte Konten öffnen die Tür zu Ihrem. Melden Sie sich mit einem davon noch einmal an, oder melden Sie sich oben auf dieser Seite ab, wie gewohnt wieder an, und kommen Sie hierher zurück.',
    }),
    otherwise: words({
      en: 'You signed in more than 15 minutes ago, and linked accounts open the door to yours. Sign out at the top of this page, sign in as you always do, and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet, und verknüpfte Konten öffnen die Tür zu Ihrem. Melden Sie sich oben auf dieser Seite ab, wie gewohnt wieder an, und kommen Sie hierher zurück.',
    }),
    with: (name: string): Words =>
      words({
        en: `Sign in again with ${providerWords(name).en.is}`,
        de: `Mit ${providerWords(name).de.to} noch einmal anmelden`,
      }),
  },
  toLinked: words({ en: 'Your linked accounts', de: 'Ihre verknüpften Konten' }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  passing: {
    goOn: words({ en: 'Continue', de: 'Weiter' }),
    leaving: (name: string | undefined): Words =>
      words({ en: `Going to ${providerWords(name).en.is}`, de: `Weiter zu ${providerWords(name).de.to}` }),
    leavingWhy: words({
      en: 'It asks you who you are there, and sends you back here.',
      de: 'Dort werden Sie gefragt, wer Sie sind, und hierher zurückgeschickt.',
    }),
    linked: words({ en: 'Linked', de: 'Verknüpft' }),
    linkedWhy: (name: string): Words =>
      words({
        en: `Your account at ${providerWords(name).en.is} is linked.`,
        de: `Ihr Konto bei ${providerWords(name).de.to} ist verknüpft.`,
      }),
    signedIn: words({ en: 'You are signed in', de: 'Sie sind angemeldet' }),
    signedInWhy: (person: string, name: string): Words =>
      words({
        en: `${person}, you came by ${providerWords(name).en.is}.`,
        de: `${person}, Sie kommen von ${providerWords(name).de.to}.`,
      }),
  },
}
