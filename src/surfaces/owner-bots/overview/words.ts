import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { type Html, html, type Text, type Words, words } from '../../../pages/html.ts'

type OwnState = BotState | 'not-connected-yet'

/** A bot's states as its owner and collaborators see them, each with an explanation. */
const ownStateWords: Readonly<Record<OwnState, { word: Words; meaning: Words }>> = {
  online: {
    word: words({ en: 'Online', de: 'Online' }),
    meaning: words({ en: 'Connected to the chat platform.', de: 'Mit der Chat-Plattform verbunden.' }),
  },
  connecting: {
    word: words({ en: 'Connecting', de: 'Verbindet sich' }),
    meaning: words({
      en: 'The runtime sends heartbeats, but the connection to the chat platform isn’t ready yet.',
      de: 'Die Runtime sendet Heartbeats, aber die Verbindung zur Chat-Plattform steht noch nicht.',
    }),
  },
  offline: {
    word: words({ en: 'Offline', de: 'Offline' }),
    meaning: words({
      en: 'Hosting is on, but no heartbeat arrived in the last 90 seconds. Check that the runtime is running.',
      de: 'Das Hosting ist aktiviert, aber seit 90 Sekunden kam kein Heartbeat an. Prüfen Sie, ob die Runtime läuft.',
    }),
  },
  'not-connected-yet': {
    word: words({ en: 'Not connected yet', de: 'Noch nie verbunden' }),
    meaning: words({ en: 'Hosting is on.', de: 'Das Hosting ist aktiviert.' }),
  },
  'hosting-off': {
    word: words({ en: 'Hosting off', de: 'Hosting inaktiv' }),
    meaning: words({
      en: 'The bot isn’t running. New webhooks are kept for 24 hours.',
      de: 'Der Bot läuft nicht. Neue Webhooks werden 24 Stunden aufbewahrt.',
    }),
  },
}

const tones: Record<OwnState, Tone> = {
  online: 'good',
  connecting: 'warn',
  offline: 'bad',
  'not-connected-yet': 'neutral',
  'hosting-off': 'neutral',
}

/**
 * Returns the bot's state as a label, and what it means. A bot that never connected isn't shown as an outage.
 *
 * @param reportedAtMs when the last heartbeat was received. `null` if the bot never had one.
 */
export function ownState(is: BotState, reportedAtMs: number | null): { label: Html; meaning: Words } {
  const shown = is === 'offline' && reportedAtMs === null ? 'not-connected-yet' : is
  const { word, meaning } = ownStateWords[shown]
  return { label: state({ tone: tones[shown], word }), meaning }
}

/** Text for a bot's overview page. */
export const botOverviewWords = {
  state: words({ en: 'State', de: 'Zustand' }),
  heartbeat: (when: Text): Words => words({ en: html`Last heartbeat ${when}.`, de: html`Letzter Heartbeat ${when}.` }),
  noHeartbeat: words({ en: 'No heartbeat yet.', de: 'Noch kein Heartbeat.' }),
  turnOn: words({ en: 'Turn hosting on', de: 'Hosting aktivieren' }),
  turnOff: words({ en: 'Turn hosting off', de: 'Hosting deaktivieren' }),
  details: words({ en: 'Details', de: 'Eckdaten' }),
  detailsAbout: (settings: string): Words =>
    words({
      en: html`Servers and shards are as of the last heartbeat. Location and status page are in the <a href="${settings}">settings</a>.`,
      de: html`Server und Shards laut letztem Heartbeat. Standort und Statusseite ändern Sie in den <a href="${settings}">Einstellungen</a>.`,
    }),
  servers: words({ en: 'Servers', de: 'Server' }),
  shards: words({ en: 'Shards', de: 'Shards' }),
  location: words({ en: 'Hosting location', de: 'Hosting-Standort' }),
  statusPage: words({ en: 'Status page', de: 'Statusseite' }),
  openStatusPage: words({ en: 'Open status page', de: 'Statusseite öffnen' }),
  notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
  plan: words({ en: 'Plan', de: 'Tarif' }),
  botId: words({ en: 'Bot ID', de: 'Bot-ID' }),
  chatPlatformId: words({ en: 'Chat-platform ID', de: 'ID auf der Chat-Plattform' }),
}

/** Text for the steps up to a bot's first heartbeat. */
export const setupWords = {
  title: words({ en: 'Set up this bot', de: 'Bot einrichten' }),
  progress: (done: number, all: number): Words =>
    words({ en: `${done} of ${all} done`, de: `${done} von ${all} erledigt` }),
  done: words({ en: 'Done', de: 'Erledigt' }),
  runtime: words({ en: 'Add a runtime', de: 'Runtime hinzufügen' }),
  runtimeHow: words({
    en: 'A runtime is the program that processes your bot’s webhooks. You get a key for it and a command to start it.',
    de: 'Eine Runtime ist das Programm, das die Webhooks Ihres Bots verarbeitet. Sie erhalten einen Schlüssel und einen Befehl zum Starten.',
  }),
  ownerOnly: words({ en: 'Only the bot’s owner can do this.', de: 'Das kann nur der Eigentümer des Bots.' }),
  hosting: words({ en: 'Turn hosting on', de: 'Hosting aktivieren' }),
  hostingHow: words({
    en: 'Until then, no runtime can host the bot or receive its webhooks.',
    de: 'Bis dahin kann keine Runtime den Bot ausführen oder seine Webhooks empfangen.',
  }),
  webhook: words({ en: 'Send the first webhook', de: 'Ersten Webhook senden' }),
  webhookHow: words({
    en: 'Each flow shows its URL and a command to try it. Webhooks wait for the runtime for up to 24 hours.',
    de: 'Bei jedem Flow finden Sie seine URL und einen Befehl zum Ausprobieren. Webhooks warten bis zu 24 Stunden auf die Runtime.',
  }),
  heartbeat: words({ en: 'Start your runtime', de: 'Runtime starten' }),
  heartbeatHow: words({
    en: 'Its first heartbeat appears here within 30 seconds.',
    de: 'Der erste Heartbeat erscheint hier innerhalb von 30 Sekunden.',
  }),
}

/** Text for the figures on a bot's overview. */
export const figureWords = {
  received: words({ en: 'Webhooks, last 24 hours', de: 'Webhooks, letzte 24 Stunden' }),
  unfinished: (count: Words): Words =>
    words({ en: html`${count} not delivered yet`, de: html`${count} noch nicht zugestellt` }),
  noneUnfinished: words({ en: 'None waiting', de: 'Keiner wartet' }),
  failed: words({ en: 'Failed attempts, last 24 hours', de: 'Fehlgeschlagene Versuche, letzte 24 Stunden' }),
  deadLetters: (count: Words, number: number): Words =>
    words({ en: html`${count} ${number === 1 ? 'dead letter' : 'dead letters'}`, de: html`${count} unzustellbar` }),
  lastError: words({ en: 'Last error', de: 'Letzter Fehler' }),
  noError: words({ en: 'None', de: 'Keiner' }),
  runtime: words({ en: 'Runtime', de: 'Runtime' }),
  connected: words({ en: 'Connected', de: 'Verbunden' }),
  notConnected: words({ en: 'Not connected', de: 'Nicht verbunden' }),
  neverConnected: words({ en: 'Never connected', de: 'War noch nie verbunden' }),
  lastHeartbeat: (when: Text): Words =>
    words({ en: html`Last heartbeat ${when}`, de: html`Letzter Heartbeat ${when}` }),
  since: (when: Text): Words => words({ en: html`connected ${when}`, de: html`verbunden ${when}` }),
  lastSeen: (when: Text): Words => words({ en: html`last connected ${when}`, de: html`zuletzt ${when}` }),
  andMore: (name: string, others: Words): Words =>
    words({ en: html`${name} and ${others} more`, de: html`${name} und ${others} weitere` }),
  byPlatform: words({ en: 'Operated by the platform', de: 'Von der Plattform betrieben' }),
}

/** Text for the user's list of bots. */
export const botListWords = {
  caption: words({ en: 'Your bots and those you collaborate on', de: 'Ihre Bots und Bots, an denen Sie mitarbeiten' }),
  bot: words({ en: 'Bot', de: 'Bot' }),
  state: words({ en: 'State', de: 'Zustand' }),
  location: words({ en: 'Location', de: 'Standort' }),
  lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letzter Heartbeat' }),
  none: {
    title: words({ en: 'No bots yet', de: 'Noch keine Bots' }),
    steps: words({
      en: html`<p>You create bots on the platform. They then appear here with their state, webhooks and logs.</p>
<ol>
<li>Sign in to the platform with this account and create a bot. An administrator can also create one for you. They need your user ID from <a href="/account">your account page</a>.</li>
<li>To work on someone else’s bot, ask its owner to add you as a collaborator.</li>
<li>Open the bot here, turn hosting on, and connect a runtime.</li>
</ol>`,
      de: html`<p>Bots erstellen Sie auf der Plattform. Danach erscheinen sie hier mit Zustand, Webhooks und Protokoll.</p>
<ol>
<li>Melden Sie sich mit diesem Konto bei der Plattform an und erstellen Sie einen Bot. Auch ein Administrator kann einen für Sie erstellen. Nennen Sie ihm dafür Ihre Benutzer-ID von der <a href="/account">Kontoseite</a>.</li>
<li>Um an einem fremden Bot mitzuarbeiten, lassen Sie sich vom Eigentümer als Bearbeiter hinzufügen.</li>
<li>Öffnen Sie den Bot hier, aktivieren Sie das Hosting und verbinden Sie eine Runtime.</li>
</ol>`,
    }),
  },
  more: words({
    en: html`You create bots on the platform, and they appear here. <a href="/account">Your account</a> shows your user ID.`,
    de: html`Bots erstellen Sie auf der Plattform. Danach erscheinen sie hier. Ihre Benutzer-ID steht in <a href="/account">Ihrem Konto</a>.`,
  }),
  waiting: words({ en: 'Undelivered', de: 'Ausstehend' }),
  dead: words({ en: 'Dead letters, 24 h', de: 'Unzustellbar, 24 h' }),
  searchField: words({ en: 'Name or ID', de: 'Name oder ID' }),
  sorts: {
    oldest: words({ en: 'Oldest first', de: 'Älteste zuerst' }),
    name: words({ en: 'Name', de: 'Name' }),
    attention: words({ en: 'Needs attention first', de: 'Mit Problemen zuerst' }),
  },
}
