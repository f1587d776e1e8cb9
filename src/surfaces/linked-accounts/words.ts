import { type Words, words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

/** Text for `/account/linked` and for the forwarding pages to and from a provider. */
export const linkedAccountsWords = {
  title: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
  about: words({
    en: 'You can sign in with any account linked here. Gatehouse never acts on your behalf there.',
    de: 'Sie können sich mit jedem hier verknüpften Konto anmelden. Gatehouse unternimmt dort nichts in Ihrem Namen.',
  }),
  noProvider: words({
    en: 'No providers are set up on this service.',
    de: 'In diesem Dienst sind keine Anbieter eingerichtet.',
  }),
  done: {
    linked: words({
      en: 'Account linked. You can now sign in with it.',
      de: 'Konto verknüpft. Sie können sich jetzt damit anmelden.',
    }),
    unlinked: words({
      en: 'Account unlinked. You can no longer sign in with it.',
      de: 'Verknüpfung aufgehoben. Mit diesem Konto können Sie sich nicht mehr anmelden.',
    }),
  },
  linked: words({ en: 'Linked', de: 'Verknüpft' }),
  notLinked: words({ en: 'Not linked', de: 'Nicht verknüpft' }),
  nameThere: words({ en: 'Name at the provider', de: 'Name beim Anbieter' }),
  idThere: words({ en: 'Provider user ID', de: 'Benutzer-ID beim Anbieter' }),
  byOperator: words({ en: 'By an administrator', de: 'Von einem Administrator' }),
  link: (name: string): Words =>
    words({ en: `Link ${providerWords(name).en.is}`, de: `Mit ${providerWords(name).de.to} verknüpfen` }),
  unlink: (name: string): Words =>
    words({ en: `Unlink ${providerWords(name).en.is}`, de: `Verknüpfung mit ${providerWords(name).de.to} aufheben` }),
  again: {
    title: words({ en: 'Sign in again to make changes', de: 'Für Änderungen erneut anmelden' }),
    withOne: words({
      en: 'You signed in more than 15 minutes ago. Sign in again with a linked account. Or sign out at the top of this page, sign in and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich mit einem verknüpften Konto erneut an. Sie können sich auch oben auf dieser Seite abmelden, wieder anmelden und hierher zurückkehren.',
    }),
    otherwise: words({
      en: 'You signed in more than 15 minutes ago. Sign out at the top of this page, sign in again and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich oben auf dieser Seite ab und dann wieder an. Kehren Sie danach hierher zurück.',
    }),
    with: (name: string): Words =>
      words({
        en: `Sign in again with ${providerWords(name).en.is}`,
        de: `Mit ${providerWords(name).de.to} erneut anmelden`,
      }),
  },
  toLinked: words({ en: 'Your linked accounts', de: 'Ihre verknüpften Konten' }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  forwarding: {
    goOn: words({ en: 'Continue', de: 'Weiter' }),
    leaving: (name: string | undefined): Words =>
      words({ en: `Going to ${providerWords(name).en.is}`, de: `Weiter zu ${providerWords(name).de.to}` }),
    leavingWhy: words({
      en: 'After you sign in there, you’ll return here.',
      de: 'Melden Sie sich dort an. Danach gelangen Sie hierher zurück.',
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
        en: `Welcome, ${person}. You signed in with ${providerWords(name).en.is}.`,
        de: `Willkommen, ${person}. Sie haben sich mit ${providerWords(name).de.to} angemeldet.`,
      }),
  },
}
