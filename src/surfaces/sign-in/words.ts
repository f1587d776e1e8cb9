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
    en: 'Your session had ended, so nothing was saved. Sign in to continue.',
    de: 'Ihre Sitzung ist abgelaufen, daher wurde nichts gespeichert. Melden Sie sich an, um fortzufahren.',
  }),
  does: words({ en: 'Sign in', de: 'Anmelden' }),
  byPasskey: words({ en: 'Sign in with a passkey', de: 'Mit einem Passkey anmelden' }),
  with: (provider: string): Words =>
    words({ en: `Sign in with ${providerWords(provider).en.is}`, de: `Mit ${providerWords(provider).de.to} anmelden` }),
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
  closedWhy: words({ en: 'Ask an administrator for an account.', de: 'Bitten Sie einen Administrator um ein Konto.' }),
}

/** Text for the start pages, shown while the service has at most one account. */
export const welcomeWords = {
  title: words({ en: 'Welcome to Gatehouse', de: 'Willkommen bei Gatehouse' }),
  isNew: words({
    en: 'This service is new and has no accounts yet.',
    de: 'Dieser Dienst ist neu. Es gibt noch keine Konten.',
  }),
  begin: (address: string): Words =>
    words({
      en: html`<a href="${address}">Create the first account</a>`,
      de: html`<a href="${address}">Erstes Konto erstellen</a>`,
    }),
  about: words({
    en: 'Create the first account, register an application and add a bot. It takes about two minutes.',
    de: 'Erstellen Sie das erste Konto, registrieren Sie eine Anwendung und fügen Sie einen Bot hinzu. Das dauert etwa zwei Minuten.',
  }),
  noRights: words({
    en: 'The first account has no special rights. Administration requires the operator key.',
    de: 'Das erste Konto hat keine besonderen Rechte. Für die Verwaltung brauchen Sie den Betreiberschlüssel.',
  }),
  closed: words({
    en: 'Sign-up is closed. Create accounts through the control API. Run this in the folder where Gatehouse was started:',
    de: 'Die Registrierung ist deaktiviert. Konten erstellen Sie über die Control-API. Führen Sie dazu diesen Befehl in dem Ordner aus, in dem Gatehouse gestartet wurde:',
  }),
  makeAccount: words({ en: 'Create an account', de: 'Konto erstellen' }),
  steps: {
    title: (name: string): Words => words({ en: `Welcome, ${name}`, de: `Willkommen, ${name}` }),
    about: words({
      en: 'Your account is ready. This page disappears once a second person has an account.',
      de: 'Ihr Konto ist eingerichtet. Diese Seite verschwindet, sobald eine zweite Person ein Konto hat.',
    }),
    application: words({ en: '1. Your first application', de: '1. Ihre erste Anwendung' }),
    applicationAbout: words({
      en: 'An application lets users sign in with their account here. To build on your own machine, choose the Development environment.',
      de: 'Über eine Anwendung können sich Benutzer mit ihrem Gatehouse-Konto anmelden. Wenn Sie auf Ihrem eigenen Rechner entwickeln, wählen Sie die Umgebung „Entwicklung“.',
    }),
    register: words({ en: 'Register an application', de: 'Anwendung registrieren' }),
    bot: words({ en: '2. Your first bot', de: '2. Ihr erster Bot' }),
    botAbout: words({
      en: 'Create bots through the control API, with the operator key. Run this in the folder where Gatehouse was started:',
      de: 'Bots erstellen Sie mit dem Betreiberschlüssel über die Control-API. Führen Sie dazu diese Befehle in dem Ordner aus, in dem Gatehouse gestartet wurde:',
    }),
    makeBot: words({ en: 'Create a bot', de: 'Bot erstellen' }),
    makeFlow: words({ en: 'Add a webhook', de: 'Webhook hinzufügen' }),
    flowAbout: words({
      en: 'Then open your bot. Under Flows you find the webhook URL and can send a test. Under Runtimes you create the key for the program that runs the bot.',
      de: 'Öffnen Sie dann Ihren Bot. Unter „Flows“ finden Sie die Webhook-URL und können einen Test senden. Unter „Runtimes“ erstellen Sie den Schlüssel für das Programm, das den Bot ausführt.',
    }),
    toBots: words({ en: 'View your bots', de: 'Ihre Bots anzeigen' }),
    pin: words({ en: '3. Your PIN', de: '3. Ihre PIN' }),
    pinAbout: words({
      en: 'You enter it before an application can read your personal data. Set it now, or when you first need it.',
      de: 'Eine Anwendung kann Ihre persönlichen Daten erst abrufen, wenn Sie Ihre PIN eingeben. Sie können die PIN jetzt oder bei Bedarf festlegen.',
    }),
    setPin: words({ en: 'Set a PIN', de: 'PIN festlegen' }),
    toAccount: words({ en: 'Go to your account', de: 'Zum Konto' }),
  },
}
