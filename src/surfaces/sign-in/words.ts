import { html, type Text, type Words, words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

export const signInWords = {
  title: words({ en: 'Sign in', de: 'Anmelden' }),
  refused: words({ en: 'Not signed in', de: 'Nicht angemeldet' }),
  goOn: (application: Text): Words =>
    words({
      en: html`You’ll continue to <strong>${application}</strong>.`,
      de: html`Danach geht es weiter zu <strong>${application}</strong>.`,
    }),
  late: words({
    en: 'Your session had ended, so nothing was saved yet. Sign in to continue. Your input is kept for an hour.',
    de: 'Ihre Sitzung ist abgelaufen, daher wurde noch nichts gespeichert. Melden Sie sich an, um fortzufahren. Ihre Eingaben bleiben eine Stunde erhalten.',
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
      en: html`Forgot your password? <a href="${address}">Set a new one</a>`,
      de: html`Passwort vergessen? <a href="${address}">Neues Passwort festlegen</a>`,
    }),
  noAccount: (address: string): Words =>
    words({
      en: html`No account yet? <a href="${address}">Create one</a>`,
      de: html`Noch kein Konto? <a href="${address}">Konto erstellen</a>`,
    }),
}

export const signUpWords = {
  title: words({ en: 'Create an account', de: 'Konto erstellen' }),
  refused: words({ en: 'Account not created', de: 'Konto nicht erstellt' }),
  does: words({ en: 'Create account', de: 'Konto erstellen' }),
  with: (provider: string): Words =>
    words({
      en: `Sign up with ${providerWords(provider).en.is}`,
      de: `Mit ${providerWords(provider).de.to} registrieren`,
    }),
  haveAccount: (address: string): Words =>
    words({
      en: html`Already have an account? <a href="${address}">Sign in</a>`,
      de: html`Schon ein Konto? <a href="${address}">Anmelden</a>`,
    }),
  closed: words({ en: 'Sign-up is closed', de: 'Die Registrierung ist deaktiviert' }),
  closedWhy: words({
    en: 'Ask an administrator for an account.',
    de: 'Bitten Sie einen Administrator um ein Konto.',
  }),
}
