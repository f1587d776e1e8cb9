import type { capabilityMay } from '../../../domain/bots/bot-access.ts'
import { type Words, words } from '../../../pages/html.ts'

/** The permissions that each capability adds to a role. */
export const capabilityWords: Readonly<Record<keyof typeof capabilityMay, Words>> = {
  deliveries: words({
    en: 'View the contents of webhooks, and replay or discard them',
    de: 'Inhalt von Webhooks ansehen und Webhooks erneut einreihen oder verwerfen',
  }),
  hosting: words({ en: 'Turn hosting on and off', de: 'Hosting aktivieren und deaktivieren' }),
  status: words({
    en: 'Make the status public or private, and edit its notice',
    de: 'Status veröffentlichen oder verbergen und die Mitteilung bearbeiten',
  }),
  flows: words({
    en: 'Change flow settings, and send tests',
    de: 'Flow-Einstellungen ändern und Tests senden',
  }),
  keys: words({ en: 'Manage flow keys and signatures', de: 'Flow-Schlüssel und Signaturen verwalten' }),
}

/** Text for the pages about a bot's collaborators. */
export const coworkerWords = {
  notAdded: words({ en: 'Collaborator not added', de: 'Bearbeiter nicht hinzugefügt' }),
  alone: words({ en: 'No collaborators yet.', de: 'Noch keine Bearbeiter.' }),
  nobodyElse: words({ en: 'This bot has no collaborators.', de: 'Dieser Bot hat keine Bearbeiter.' }),
  caption: words({ en: 'Collaborators, sorted by name', de: 'Bearbeiter, sortiert nach Namen' }),
  person: words({ en: 'Person', de: 'Person' }),
  role: words({ en: 'Role', de: 'Rolle' }),
  capabilities: words({ en: 'Extra permissions', de: 'Zusätzliche Rechte' }),
  capabilitiesHint: words({
    en: 'In addition to what the role allows.',
    de: 'Zusätzlich zu den Rechten der Rolle.',
  }),
  change: words({ en: 'Change', de: 'Ändern' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  leave: words({ en: 'Leave bot', de: 'Bot verlassen' }),
  add: {
    title: words({ en: 'Add a collaborator', de: 'Bearbeiter hinzufügen' }),
    about: words({
      en: 'Enter the user ID or confirmed email address of a user. They get access immediately. For anyone else, create an invitation.',
      de: 'Geben Sie die Benutzer-ID oder die bestätigte E-Mail-Adresse eines Benutzers ein. Der Benutzer erhält sofort Zugriff. Für alle anderen erstellen Sie eine Einladung.',
    }),
    who: words({ en: 'Email address or user ID', de: 'E-Mail-Adresse oder Benutzer-ID' }),
    submit: words({ en: 'Add collaborator', de: 'Bearbeiter hinzufügen' }),
  },
  errors: {
    whoMissing: words({
      en: 'Enter an email address or a user ID.',
      de: 'Geben Sie eine E-Mail-Adresse oder eine Benutzer-ID ein.',
    }),
    tooManyMisses: (wait: { en: string; de: string }): Words =>
      words({
        en: `You entered too many unknown IDs or addresses. Try again in ${wait.en}.`,
        de: `Sie haben zu viele unbekannte IDs oder Adressen eingegeben. Versuchen Sie es in ${wait.de} erneut.`,
      }),
    notFound: words({
      en: 'No user has this user ID or confirmed email address. Check it, or create an invitation.',
      de: 'Kein Benutzer mit dieser ID oder bestätigten E-Mail-Adresse gefunden. Prüfen Sie die Eingabe oder erstellen Sie eine Einladung.',
    }),
    already: words({
      en: 'This user is already a collaborator. Change their permissions in the list.',
      de: 'Dieser Benutzer ist bereits Bearbeiter. Seine Rechte ändern Sie in der Liste.',
    }),
  },
  changePage: {
    title: (person: string, bot: string): Words =>
      words({ en: `Permissions of ${person} for ${bot}`, de: `Rechte von ${person} für ${bot}` }),
    heading: (person: string): Words => words({ en: `Permissions of ${person}`, de: `Rechte von ${person}` }),
    save: words({ en: 'Save permissions', de: 'Rechte speichern' }),
  },
  removal: {
    leaveTitle: (bot: string): Words => words({ en: `Leave ${bot}?`, de: `${bot} verlassen?` }),
    title: (person: string, bot: string): Words =>
      words({ en: `Remove ${person} from ${bot}?`, de: `${person} von ${bot} entfernen?` }),
    leaveEffect: words({
      en: 'You lose access immediately. Only the owner can add you again.',
      de: 'Sie verlieren sofort den Zugriff. Nur der Eigentümer kann Sie wieder hinzufügen.',
    }),
    effect: (person: string): Words =>
      words({
        en: `${person} loses access immediately. Applications that use the bot on this user’s behalf lose access, too.`,
        de: `${person} verliert sofort den Zugriff. Das gilt auch für Anwendungen, die im Namen dieses Benutzers auf den Bot zugreifen.`,
      }),
    stay: words({ en: 'Keep access', de: 'Zugriff behalten' }),
    keep: words({ en: 'Keep collaborator', de: 'Bearbeiter behalten' }),
  },
}
