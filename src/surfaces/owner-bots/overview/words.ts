import type { HostingLocation } from '../../../domain/bots/bot.ts'
import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** A bot's states as its owner and collaborators see them, each with an explanation. */
export const ownStateWords: Readonly<Record<BotState, { word: Words; meaning: Words }>> = {
  online: {
    word: words({ en: 'Online', de: 'Online' }),
    meaning: words({ en: 'Connected to the chat platform.', de: 'Mit der Chat-Plattform verbunden.' }),
  },
  connecting: {
    word: words({ en: 'Connecting', de: 'Verbindet sich' }),
    meaning: words({
      en: 'Its runtime sends heartbeats, but the connection to the chat platform isn’t ready yet.',
      de: 'Die Runtime sendet Heartbeats, aber die Verbindung zur Chat-Plattform steht noch nicht.',
    }),
  },
  offline: {
    word: words({ en: 'Offline', de: 'Offline' }),
    meaning: words({
      en: 'Hosting is on, but no heartbeat arrived in the last 90 seconds. Check that its runtime is running.',
      de: 'Das Hosting ist aktiviert, aber seit 90 Sekunden kam kein Heartbeat an. Prüfen Sie, ob die Runtime läuft.',
    }),
  },
  'hosting-off': {
    word: words({ en: 'Hosting off', de: 'Hosting inaktiv' }),
    meaning: words({
      en: 'The bot isn’t running. New webhooks are kept for 24 hours.',
      de: 'Der Bot läuft nicht. Neue Webhooks werden 24 Stunden aufbewahrt.',
    }),
  },
}

export const locationWords: Readonly<Record<HostingLocation, Words>> = {
  local: words({ en: 'Local', de: 'Lokal' }),
  cloud: words({ en: 'Cloud', de: 'Cloud' }),
}

/** Text for a bot's overview page. */
export const botOverviewWords = {
  state: {
    title: words({ en: 'State', de: 'Zustand' }),
    about: words({
      en: 'As of the last heartbeat from the bot’s runtime.',
      de: 'Stand beim letzten Heartbeat der Runtime.',
    }),
    lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letzter Heartbeat' }),
    servers: words({ en: 'Servers', de: 'Server' }),
    shards: words({ en: 'Shards', de: 'Shards' }),
    plan: words({ en: 'Plan', de: 'Tarif' }),
    botId: words({ en: 'Bot ID', de: 'Bot-ID' }),
    chatPlatformId: words({ en: 'Chat-platform ID', de: 'ID auf der Chat-Plattform' }),
  },
  hosting: {
    title: words({ en: 'Hosting', de: 'Hosting' }),
    about: words({
      en: 'With hosting off, runtimes stop the bot, and webhooks wait for up to 24 hours.',
      de: 'Bei deaktiviertem Hosting beenden Runtimes den Bot. Webhooks warten dann bis zu 24 Stunden.',
    }),
    power: words({ en: 'Run this bot', de: 'Diesen Bot ausführen' }),
    on: words({ en: 'On', de: 'Aktiviert' }),
    onMeans: words({
      en: 'Runtimes can run the bot and receive its webhooks.',
      de: 'Runtimes können den Bot ausführen und seine Webhooks empfangen.',
    }),
    off: words({ en: 'Off', de: 'Deaktiviert' }),
    offMeans: words({ en: 'Runtimes stop the bot immediately.', de: 'Runtimes beenden den Bot sofort.' }),
    location: words({ en: 'Location', de: 'Standort' }),
    localMeans: words({
      en: 'A runtime on your own machine.',
      de: 'Der Bot läuft auf Ihrem eigenen Rechner.',
    }),
    cloudMeans: words({
      en: 'A runtime operated by the platform.',
      de: 'Der Bot läuft auf der Plattform.',
    }),
    noLocation: words({ en: 'Not set', de: 'Nicht festgelegt' }),
    save: words({ en: 'Save hosting', de: 'Hosting-Einstellungen speichern' }),
  },
  publicStatus: {
    title: words({ en: 'Public status', de: 'Öffentlicher Status' }),
    about: words({
      en: 'A public page and a JSON API that show whether the bot is online.',
      de: 'Eine öffentliche Seite und eine JSON-API zeigen, ob der Bot online ist.',
    }),
    public: words({ en: 'Public', de: 'Öffentlich' }),
    publicMeans: (address: string): Words =>
      words({
        en: html`Anyone can see the bot’s status. <a href="${address}">Open status page</a>`,
        de: html`Alle können den Status des Bots sehen. <a href="${address}">Statusseite öffnen</a>`,
      }),
    page: words({ en: 'Status page', de: 'Statusseite' }),
    forPrograms: words({ en: 'JSON API', de: 'JSON-API' }),
    notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
    notPublicMeans: words({
      en: 'Visitors get a 404 page.',
      de: 'Besucher sehen eine 404-Seite.',
    }),
    close: words({ en: 'Make status private', de: 'Status verbergen' }),
    closeMeans: words({
      en: 'The status page and badge stop working within one second.',
      de: 'Statusseite und Badge sind spätestens nach einer Sekunde nicht mehr erreichbar.',
    }),
    open: words({ en: 'Make status public', de: 'Status veröffentlichen' }),
    openMeans: words({
      en: 'Anyone can then see the bot’s name, picture, state and counts.',
      de: 'Name, Bild, Zustand und Zahlen des Bots sind dann für alle sichtbar.',
    }),
  },
  notice: {
    title: words({ en: 'Notice', de: 'Mitteilung' }),
    label: words({ en: 'Notice on the status page', de: 'Mitteilung auf der Statusseite' }),
    hint: words({
      en: 'One line, such as planned maintenance. Leave empty to remove it.',
      de: 'Eine Zeile, etwa zu einer geplanten Wartung. Zum Entfernen leer lassen.',
    }),
    hintWhenSet: (when: Text): Words =>
      words({
        en: html`One line, such as planned maintenance. Leave empty to remove it. Published ${when}.`,
        de: html`Eine Zeile, etwa zu einer geplanten Wartung. Zum Entfernen leer lassen. Veröffentlicht ${when}.`,
      }),
    save: words({ en: 'Save notice', de: 'Mitteilung speichern' }),
  },
}

/** Text for the user's list of bots. */
export const botListWords = {
  caption: words({
    en: 'Your bots and those you collaborate on',
    de: 'Ihre Bots und Bots, an denen Sie mitarbeiten',
  }),
  bot: words({ en: 'Bot', de: 'Bot' }),
  state: words({ en: 'State', de: 'Zustand' }),
  location: words({ en: 'Location', de: 'Standort' }),
  noLocation: words({ en: 'Not set', de: 'Nicht festgelegt' }),
  lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letzter Heartbeat' }),
  status: words({ en: 'Status', de: 'Statusseite' }),
  public: words({ en: 'Public', de: 'Öffentlich' }),
  notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
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
  waiting: words({ en: 'Waiting webhooks', de: 'Wartende Webhooks' }),
  searchField: words({ en: 'Name or ID', de: 'Name oder ID' }),
  sorts: {
    oldest: words({ en: 'Oldest first', de: 'Älteste zuerst' }),
    name: words({ en: 'Name', de: 'Name' }),
    attention: words({ en: 'Needs attention first', de: 'Mit Problemen zuerst' }),
  },
}

export const statusBadgeWords = words({ en: 'Status badge', de: 'Status-Badge' })
