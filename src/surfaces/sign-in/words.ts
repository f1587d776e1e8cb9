import { html, type Text, type Words, words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

export const signInWords = {
  title: words({ en: 'Sign in', de: 'Anmelden' }),
  refused: words({ en: 'Not signed in', de: 'Nicht angemeldet' }),
  goOn: (application: Text): Words =>
    words({
      en: html`You go on to <strong>${application}</strong> afterwards.`,
      de: html`Danach geht es weiter zu <strong>${application}</strong>.`,
    }),
  late: words({
    en: 'Your session had ended, so what you sent did nothing yet. Sign in to go on: what you typed is kept for an hour.',
    de: 'Ihre Sitzung war beendet, deshalb hat das Gesendete noch nichts bewirkt. Melden Sie sich an, um weiterzumachen: Was Sie eingegeben haben, ist eine Stunde lang aufgehoben.',
  }),
  does: words({ en: 'Sign in', de: 'Anmelden' }),
  byPasskey: words({ en: 'Sign in with a passkey', de: 'Mit einem Passkey anmelden' }),
  with: (provider: string): Words =>
    words({
      en: `Sign in with ${providerWords(provider).en.is}`,
      de: `Mit ${providerWords(provider).de.to} anmelden`,
    }),
  forgotten: (address: string): Words =>
    words({
      en: html`Forgotten your password? <a href="${address}">Set a new one</a>`,
      de: html`Passwort vergessen? <a href="${address}">Ein neues setzen</a>`,
    }),
  noAccount: (address: string): Words =>
    words({
      en: html`No account yet? <a href="${address}">Create one</a>`,
      de: html`Noch kein Konto? <a href="${address}">Eines anlegen</a>`,
    }),
}

export const signUpWords = {
  title: words({ en: 'Create an account', de: 'Konto anlegen' }),
  refused: words({ en: 'Account not created', de: 'Konto nicht angelegt' }),
  does: words({ en: 'Create account', de: 'Konto anlegen' }),
  with: (provider: string): Words =>
    words({
      en: `Sign up with ${providerWords(provider).en.is}`,
      de: `Mit ${providerWords(provider).de.to} registrieren`,
    }),
  haveAccount: (address: string): Words =>
    words({
      en: html`You have an account? <a href="${address}">Sign in</a>`,
      de: html`Sie haben ein Konto? <a href="${address}">Anmelden</a>`,
    }),
  closed: words({ en: 'Sign-up is closed', de: 'Die Registrierung ist geschlossen' }),
  closedWhy: words({
    en: 'New accounts are made by whoever runs this service. Ask them for one.',
    de: 'Neue Konten legt an, wer diesen Dienst betreibt. Bitten Sie dort um eines.',
  }),
}
