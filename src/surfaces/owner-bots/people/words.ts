import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Text for the pages about a bot's collaborators. */
export const coworkerWords = {
  notAdded: words({ en: 'Collaborator not added', de: 'Bearbeiter nicht hinzugefügt' }),
  alone: words({ en: 'No collaborators yet.', de: 'Noch keine Bearbeiter.' }),
  nobodyElse: words({ en: 'This bot has no collaborators.', de: 'Dieser Bot hat keine Bearbeiter.' }),
  caption: words({ en: 'Collaborators, sorted by name', de: 'Bearbeiter, sortiert nach Namen' }),
  person: words({ en: 'Person', de: 'Person' }),
  role: words({ en: 'Role', de: 'Rolle' }),
  capabilities: words({ en: 'Extra permissions', de: 'Zusätzliche Rechte' }),
  capabilitiesHint: words({ en: 'In addition to what the role allows.', de: 'Zusätzlich zu den Rechten der Rolle.' }),
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

/** Text for invitation pages, both for the bot's owner and for recipients. */
export const invitationWords = {
  create: words({ en: 'Create invitation', de: 'Einladung erstellen' }),
  list: {
    title: words({ en: 'Invitations', de: 'Einladungen' }),
    caption: words({ en: 'Open invitations', de: 'Offene Einladungen' }),
    for: words({ en: 'For', de: 'Für' }),
    state: words({ en: 'State', de: 'Status' }),
    actions: words({ en: 'Actions', de: 'Aktionen' }),
    notUsed: words({ en: 'Not accepted yet', de: 'Noch nicht angenommen' }),
    expires: (when: Text): Words => words({ en: html`Expires ${when}`, de: html`Läuft ${when} ab` }),
    acceptedBy: words({ en: 'Accepted by', de: 'Angenommen von' }),
    noEmail: words({ en: 'No email address', de: 'Keine E-Mail-Adresse' }),
    confirmed: words({ en: 'Email confirmed', de: 'E-Mail-Adresse bestätigt' }),
    notConfirmed: words({ en: 'Email not confirmed', de: 'E-Mail-Adresse nicht bestätigt' }),
    confirm: words({ en: 'Confirm', de: 'Bestätigen' }),
    decline: words({ en: 'Decline', de: 'Ablehnen' }),
    revoke: words({ en: 'Revoke', de: 'Widerrufen' }),
  },
  form: {
    title: (bot: string): Words => words({ en: `Invite someone to ${bot}`, de: `Jemanden zu ${bot} einladen` }),
    about: words({
      en: 'The link expires after 7 days and works for one person. They get access only after you confirm them.',
      de: 'Der Link ist 7 Tage gültig, aber nur für eine Person. Zugriff erhält die Person erst nach Ihrer Bestätigung.',
    }),
    label: words({ en: 'Recipient', de: 'Empfänger' }),
    labelHint: words({
      en: 'A name or an email address. Only you see it.',
      de: 'Name oder E-Mail-Adresse. Nur für Sie sichtbar.',
    }),
    notCreated: words({ en: 'Invitation not created', de: 'Einladung nicht erstellt' }),
  },
  created: {
    title: words({ en: 'Invitation created', de: 'Einladung erstellt' }),
    link: words({ en: 'Invitation link', de: 'Einladungslink' }),
    copyNow: words({
      en: 'Copy the link now and send it to the person. It is shown only once.',
      de: 'Kopieren Sie den Link jetzt und senden Sie ihn an die Person. Der Link wird nur einmal angezeigt.',
    }),
    back: words({ en: 'View collaborators', de: 'Bearbeiter anzeigen' }),
  },
  /** Text for the recipient of an invitation link. */
  open: {
    title: (bot: string): Words => words({ en: `Invitation to ${bot}`, de: `Einladung zu ${bot}` }),
    invites: (owner: string, bot: string): Words =>
      words({ en: `${owner} invites you to work on ${bot}.`, de: `${owner} lädt Sie ein, an ${bot} mitzuarbeiten.` }),
    role: words({ en: 'Role', de: 'Rolle' }),
    capabilities: words({ en: 'Extra permissions', de: 'Zusätzliche Rechte' }),
    youAre: (name: string): Words =>
      words({ en: `You are signed in as ${name}.`, de: `Sie sind als ${name} angemeldet.` }),
    shown: words({
      en: 'If you accept, the owner sees your name, email address and user ID, and must then confirm you.',
      de: 'Wenn Sie annehmen, sieht der Eigentümer Ihren Namen, Ihre E-Mail-Adresse und Ihre Benutzer-ID. Er muss Sie danach noch bestätigen.',
    }),
    accept: words({ en: 'Accept invitation', de: 'Einladung annehmen' }),
    decline: words({ en: 'Decline invitation', de: 'Einladung ablehnen' }),
    waits: words({
      en: 'Invitation accepted. You get access when the owner confirms you.',
      de: 'Einladung angenommen. Sie erhalten Zugriff, sobald der Eigentümer Sie bestätigt.',
    }),
    withdraw: words({ en: 'Withdraw acceptance', de: 'Zusage zurückziehen' }),
  },
  declined: {
    title: words({ en: 'Invitation declined', de: 'Einladung abgelehnt' }),
    body: words({ en: 'The link no longer works.', de: 'Der Link ist nicht mehr gültig.' }),
  },
  refused: {
    unknown: {
      what: words({ en: 'This invitation is not valid', de: 'Diese Einladung ist ungültig' }),
      why: words({
        en: 'It was used or revoked, has expired, or the link is incomplete.',
        de: 'Die Einladung wurde bereits verwendet, wurde widerrufen oder ist abgelaufen. Möglicherweise ist auch der Link unvollständig.',
      }),
      whatToDo: words({
        en: 'Ask the bot’s owner for a new invitation.',
        de: 'Bitten Sie den Eigentümer des Bots um eine neue Einladung.',
      }),
    },
    worksAlready: {
      what: words({ en: 'You already have access to this bot', de: 'Sie haben bereits Zugriff auf diesen Bot' }),
      why: words({
        en: 'The invitation is for someone else and is still valid.',
        de: 'Die Einladung ist für jemand anderen bestimmt und bleibt gültig.',
      }),
      whatToDo: words({ en: 'Forward the link to that person.', de: 'Leiten Sie den Link an diese Person weiter.' }),
    },
  },
}
