import { type Text, t, type Words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

export const signInWords = {
  title: t`Sign in`,
  refused: t`Not signed in`,
  goOn: (application: Text): Words => t.html`You’ll continue to <strong>${application}</strong>.`,
  late: t`Your session had ended, so nothing was saved. Sign in to continue.`,
  does: t`Sign in`,
  byPasskey: t`Sign in with a passkey`,
  with: (provider: string): Words => t`Sign in with ${providerWords(provider).is}`,
  forgotten: (address: string): Words => t.html`Forgot your password? <a href="${address}">Set a new one</a>`,
  noAccount: (address: string): Words => t.html`No account yet? <a href="${address}">Create one</a>`,
}

export const signUpWords = {
  title: t`Create an account`,
  refused: t`Account not created`,
  does: t`Create account`,
  with: (provider: string): Words => t`Sign up with ${providerWords(provider).is}`,
  haveAccount: (address: string): Words => t.html`Already have an account? <a href="${address}">Sign in</a>`,
  closed: t`Sign-up is closed`,
  closedWhy: t`Ask an administrator for an account.`,
}

/** Text for the start pages, shown while the service has at most one account. */
export const welcomeWords = {
  title: t`Welcome to Gatehouse`,
  isNew: t`This service is new and has no accounts yet.`,
  begin: (address: string): Words => t.html`<a href="${address}">Create the first account</a>`,
  about: t`Create the first account, register an application and add a bot. It takes about two minutes.`,
  noRights: t`The first account has no special rights. Administration requires the operator key.`,
  closed: t`Sign-up is closed. Create accounts through the control API. Run this in the folder where Gatehouse was started:`,
  makeAccount: t`Create an account`,
  steps: {
    title: (name: string): Words => t`Welcome, ${name}`,
    about: t`Your account is ready. This page disappears once a second person has an account.`,
    application: t`1. Your first application`,
    applicationAbout: t`An application lets users sign in with their account here. To build on your own machine, choose the Development environment.`,
    register: t`Register an application`,
    bot: t`2. Your first bot`,
    botAbout: t`Create bots through the control API, with the operator key. Run this in the folder where Gatehouse was started:`,
    makeBot: t`Create a bot`,
    makeFlow: t`Add a webhook`,
    flowAbout: t`Then open your bot. Under Flows you find the webhook URL and can send a test. Under Runtimes you create the key for the program that runs the bot.`,
    toBots: t`View your bots`,
    pin: t`3. Your PIN`,
    pinAbout: t`You enter it before an application can read your personal data. Set it now, or when you first need it.`,
    setPin: t`Set a PIN`,
    toAccount: t`Go to your account`,
  },
}
