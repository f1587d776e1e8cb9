import type { capabilityMay } from '../../../domain/bots/bot-rights.ts'
import { type Words, words } from '../../../pages/html.ts'

/** Texts of what each capability adds to a role. */
export const capabilityWords: Readonly<Record<keyof typeof capabilityMay, Words>> = {
  deliveries: words({
    en: 'Read what is in webhooks, and replay or discard them',
    de: 'Lesen, was in Webhooks steht, und sie erneut einreichen oder verwerfen',
  }),
  hosting: words({ en: 'Switch hosting on and off', de: 'Hosting ein- und ausschalten' }),
  status: words({
    en: 'Open or close the public status, and set its notice',
    de: 'Den öffentlichen Status öffnen oder schließen und seine Mitteilung schreiben',
  }),
  flows: words({
    en: 'Change how flows take webhooks, and send tests',
    de: 'Ändern, wie Flows Webhooks annehmen, und Tests senden',
  }),
  keys: words({ en: 'Make and end keys of flows', de: 'Schlüssel von Flows erstellen und beenden' }),
}

/** Texts of the coworkers of a bot. */
export const coworkerWords = {
  notAdded: words({ en: 'Coworker not added', de: 'Nicht aufgenommen' }),
  alone: words({ en: 'You work on this bot alone.', de: 'Sie arbeiten allein an diesem Bot.' }),
  nobodyElse: words({ en: 'Nobody else works on this bot.', de: 'Sonst wirkt niemand an diesem Bot mit.' }),
  caption: words({ en: 'Coworkers by name', de: 'Mitwirkende nach Namen' }),
  person: words({ en: 'Person', de: 'Person' }),
  role: words({ en: 'Role', de: 'Rolle' }),
  andAlso: words({ en: 'And also', de: 'Und außerdem' }),
  andAlsoHint: words({
    en: 'Adds to the role, where the role does not allow it already.',
    de: 'Kommt zur Rolle hinzu, wo sie es nicht schon erlaubt.',
  }),
  change: words({ en: 'Change', de: 'Ändern' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  leave: words({ en: 'Leave the bot', de: 'Den Bot verlassen' }),
  add: {
    title: words({ en: 'Add a coworker', de: 'Jemanden aufnehmen' }),
    about: words({
      en: 'Enter a user ID or an email address confirmed here. The person sees the bot immediately. For anyone else, create an invitation.',
      de: 'Geben Sie eine Benutzer-ID oder eine hier bestätigte E-Mail-Adresse ein. Die Person sieht den Bot sofort. Für alle anderen erstellen Sie eine Einladung.',
    }),
    who: words({ en: 'E-mail address or user id', de: 'E-Mail-Adresse oder Benutzer-Id' }),
    submit: words({ en: 'Add coworker', de: 'Aufnehmen' }),
  },
  errors: {
    whoMissing: words({
      en: 'Enter the e-mail address or the user id of the person.',
      de: 'Geben Sie die E-Mail-Adresse oder die Benutzer-Id der Person an.',
    }),
    tooManyMisses: (wait: { en: string; de: string }): Words =>
      words({
        en: `Too many were not found. Try again in ${wait.en}.`,
        de: `Zu viele wurden nicht gefunden. Versuchen Sie es in ${wait.de} noch einmal.`,
      }),
    nobody: words({
      en: 'No user has this user ID or confirmed email address. Check it, or create an invitation.',
      de: 'Kein Benutzer hat diese Benutzer-ID oder bestätigte E-Mail-Adresse. Prüfen Sie die Eingabe oder erstellen Sie eine Einladung.',
    }),
    already: words({
      en: 'This person works on the bot already. Change what they may do in the list.',
      de: 'Diese Person wirkt schon am Bot mit. Was sie darf, ändern Sie in der Liste.',
    }),
  },
  changePage: {
    title: (person: string, bot: string): Words =>
      words({ en: `What ${person} may do with ${bot}`, de: `Was ${person} mit ${bot} darf` }),
    heading: (person: string): Words => words({ en: `What ${person} may do`, de: `Was ${person} darf` }),
    save: words({ en: 'Save', de: 'Speichern' }),
  },
  ofBot: (bot: string): Words => words({ en: `Coworkers of ${bot}`, de: `Mitwirkende an ${bot}` }),
  removal: {
    leaveTitle: (bot: string): Words => words({ en: `Leave ${bot}?`, de: `${bot} verlassen?` }),
    title: (person: string, bot: string): Words =>
      words({ en: `Remove ${person} from ${bot}?`, de: `${person} von ${bot} entfernen?` }),
    leaveEffect: words({
      en: 'You do not see the bot any more, from now on. To come back, its owner has to add you again.',
      de: 'Sie sehen den Bot ab jetzt nicht mehr. Zurück kommen Sie nur, wenn Sie wieder aufgenommen werden.',
    }),
    effect: (person: string): Words =>
      words({
        en: `${person} does not see the bot any more, from now on. Applications that read their bots do not see it either.`,
        de: `${person} sieht den Bot ab jetzt nicht mehr. Auch Anwendungen, die die Bots dieser Person lesen, sehen ihn nicht mehr.`,
      }),
    stay: words({ en: 'Stay', de: 'Bleiben' }),
    keep: words({ en: 'Keep them', de: 'Nicht entfernen' }),
  },
}
