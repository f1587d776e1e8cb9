import { html, type Words, words } from '../../pages/html.ts'

/** Texts of the first run: without an account, and with only one. */
export const welcomeWords = {
  title: words({ en: 'Welcome to Gatehouse', de: 'Willkommen bei Gatehouse' }),
  isNew: words({
    en: 'This service is new: nobody has an account yet.',
    de: 'Dieser Dienst ist neu: Noch hat niemand ein Konto.',
  }),
  begin: (address: string): Words =>
    words({
      en: html`<a href="${address}">Begin with the first one</a>`,
      de: html`<a href="${address}">Mit dem ersten beginnen</a>`,
    }),
  about: words({
    en: 'Create the first account, then register your first application and make your first bot. It takes about two minutes.',
    de: 'Legen Sie das erste Konto an, registrieren Sie dann Ihre erste Anwendung und legen Sie Ihren ersten Bot an. Es dauert etwa zwei Minuten.',
  }),
  noRights: words({
    en: 'The first account has no more rights than any other: what the operator may do takes the operator key.',
    de: 'Das erste Konto hat nicht mehr Rechte als jedes andere: Was der Betreiber darf, verlangt den Betreiberschlüssel.',
  }),
  closed: words({
    en: 'Sign-up is closed here: accounts are made through the control API. In the folder in which Gatehouse was started:',
    de: 'Die Registrierung ist hier geschlossen: Konten werden über die Control-API angelegt. In dem Ordner, in dem Gatehouse gestartet wurde:',
  }),
  makeAccount: words({ en: 'Make an account', de: 'Konto anlegen' }),
  steps: {
    title: (name: string): Words => words({ en: `Welcome, ${name}`, de: `Willkommen, ${name}` }),
    about: words({
      en: 'Your account is ready. This page stays until a second person has an account.',
      de: 'Ihr Konto ist bereit. Diese Seite bleibt, bis eine zweite Person ein Konto hat.',
    }),
    application: words({ en: '1. Your first application', de: '1. Ihre erste Anwendung' }),
    applicationAbout: words({
      en: 'An application signs people in here and reads what they allow. For one on your own machine choose the environment Development.',
      de: 'Eine Anwendung meldet Menschen hier an und liest, was sie erlauben. Für eine auf Ihrem eigenen Rechner wählen Sie die Umgebung Development.',
    }),
    register: words({ en: 'Register an application', de: 'Anwendung registrieren' }),
    bot: words({ en: '2. Your first bot', de: '2. Ihr erster Bot' }),
    botAbout: words({
      en: 'Bots are made through the control API, with the operator key. In the folder in which Gatehouse was started, this makes one of yours:',
      de: 'Bots werden über die Control-API angelegt, mit dem Betreiberschlüssel. In dem Ordner, in dem Gatehouse gestartet wurde, legt das einen von Ihnen an:',
    }),
    makeBot: words({ en: 'Make a bot', de: 'Bot anlegen' }),
    makeFlow: words({ en: 'Give it a webhook', de: 'Ihm einen Webhook geben' }),
    flowAbout: words({
      en: 'Then its page, under Flows, shows the address to send to and sends a test; under Runtimes you get the key for the program that runs it.',
      de: 'Danach zeigt seine Seite unter Flows die Adresse, an die gesendet wird, und sendet einen Test; unter Runtimes bekommen Sie den Schlüssel für das Programm, das ihn betreibt.',
    }),
    toBots: words({ en: 'See your bots', de: 'Ihre Bots ansehen' }),
    pin: words({ en: '3. Your PIN', de: '3. Ihre PIN' }),
    pinAbout: words({
      en: 'You enter it before an application reads your personal data. Set it now, or when it is first asked for.',
      de: 'Sie geben sie ein, bevor eine Anwendung Ihre persönlichen Daten liest. Legen Sie sie jetzt fest oder wenn sie das erste Mal verlangt wird.',
    }),
    setPin: words({ en: 'Set a PIN', de: 'PIN festlegen' }),
    toAccount: words({ en: 'Go to your account', de: 'Zu Ihrem Konto' }),
  },
}
