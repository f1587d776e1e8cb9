import type { HostingLocation } from '../../../domain/bots/bot.ts'
import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** The states of a bot for its owner and coworkers: the name, what it means, and what to do about it. */
export const ownStateWords: Readonly<Record<BotState, { word: Words; meaning: Words }>> = {
  online: {
    word: words({ en: 'Online', de: 'Online' }),
    meaning: words({ en: 'It is connected to the chat platform.', de: 'Er ist mit der Chat-Plattform verbunden.' }),
  },
  connecting: {
    word: words({ en: 'Connecting', de: 'Verbindet sich' }),
    meaning: words({
      en: 'Its runtime reports, but the connection to the chat platform is not ready yet.',
      de: 'Seine Runtime meldet sich, aber die Verbindung zur Chat-Plattform steht noch nicht.',
    }),
  },
  offline: {
    word: words({ en: 'Offline', de: 'Offline' }),
    meaning: words({
      en: 'Hosting is on, but no heartbeat came in the last 90 seconds. Check whether its runtime runs and connects.',
      de: 'Das Hosting ist an, aber in den letzten 90 Sekunden kam kein Lebenszeichen. Prüfen Sie, ob seine Runtime läuft und sich verbindet.',
    }),
  },
  'hosting-off': {
    word: words({ en: 'Hosting off', de: 'Hosting aus' }),
    meaning: words({
      en: 'Nothing runs it. Webhooks that come meanwhile are kept for 24 hours.',
      de: 'Nichts betreibt ihn. Webhooks, die inzwischen kommen, werden 24 Stunden aufbewahrt.',
    }),
  },
}

export const locationWords: Readonly<Record<HostingLocation, Words>> = {
  local: words({ en: 'Local', de: 'Lokal' }),
  cloud: words({ en: 'Cloud', de: 'Cloud' }),
}

/** Texts of a bot's page: its state, its hosting, and who may see its status. */
export const botOverviewWords = {
  state: {
    title: words({ en: 'State', de: 'Zustand' }),
    about: words({
      en: 'As of now; it follows the last heartbeat of the bot’s runtime.',
      de: 'In diesem Augenblick, nach dem letzten Lebenszeichen seiner Runtime.',
    }),
    lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letztes Lebenszeichen' }),
    servers: words({ en: 'Servers', de: 'Server' }),
    shards: words({ en: 'Shards', de: 'Shards' }),
    plan: words({ en: 'Plan', de: 'Tarif' }),
    botId: words({ en: 'Bot id', de: 'Bot-Id' }),
    chatPlatformId: words({ en: 'Chat-platform id', de: 'Id auf der Chat-Plattform' }),
  },
  hosting: {
    title: words({ en: 'Hosting', de: 'Hosting' }),
    about: words({
      en: 'While it is off, runtimes leave the bot, and webhooks wait for up to 24 hours.',
      de: 'Ist es aus, verlassen Runtimes den Bot, und Webhooks warten bis zu 24 Stunden.',
    }),
    power: words({ en: 'Power', de: 'Betrieb' }),
    on: words({ en: 'On', de: 'An' }),
    onMeans: words({
      en: 'Runtimes may host the bot and get its webhooks.',
      de: 'Runtimes dürfen den Bot betreiben und bekommen seine Webhooks.',
    }),
    off: words({ en: 'Off', de: 'Aus' }),
    offMeans: words({ en: 'Its runtimes leave it at once.', de: 'Seine Runtimes verlassen ihn sofort.' }),
    location: words({ en: 'Location', de: 'Ort' }),
    localMeans: words({
      en: 'A runtime on a machine of your own.',
      de: 'Eine Runtime auf einem Rechner von Ihnen.',
    }),
    cloudMeans: words({
      en: 'A runtime that the platform keeps for you.',
      de: 'Eine Runtime, die die Plattform für Sie unterhält.',
    }),
    notSaid: words({ en: 'Not said', de: 'Keine Angabe' }),
    save: words({ en: 'Save hosting', de: 'Hosting speichern' }),
  },
  publicStatus: {
    title: words({ en: 'Public status', de: 'Öffentlicher Status' }),
    about: words({
      en: 'A page, and the same for programs, that tells everybody whether the bot is online.',
      de: 'Eine Seite, und dasselbe für Programme, die allen sagt, ob der Bot online ist.',
    }),
    public: words({ en: 'Public', de: 'Öffentlich' }),
    publicMeans: (address: string): Words =>
      words({
        en: html`Everybody can see the bot’s status. <a href="${address}">Look at its page</a>`,
        de: html`Alle können den Status des Bots sehen. <a href="${address}">Seine Seite ansehen</a>`,
      }),
    page: words({ en: 'Status page', de: 'Statusseite' }),
    forPrograms: words({ en: 'Status for programs (JSON)', de: 'Status für Programme (JSON)' }),
    notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
    notPublicMeans: words({
      en: 'To everybody else the bot’s status does not exist.',
      de: 'Für alle anderen gibt es den Status des Bots nicht.',
    }),
    close: words({ en: 'Close the status', de: 'Status schließen' }),
    closeMeans: words({
      en: 'Its page and its badge stop working within a second.',
      de: 'Seite und Plakette gehen binnen einer Sekunde außer Betrieb.',
    }),
    open: words({ en: 'Make the status public', de: 'Status öffentlich machen' }),
    openMeans: words({
      en: 'Its name, picture, state and counts can be seen by everybody.',
      de: 'Name, Bild, Zustand und Zahlen sind dann für alle zu sehen.',
    }),
  },
  notice: {
    title: words({ en: 'Notice', de: 'Mitteilung' }),
    label: words({ en: 'Notice on the status page', de: 'Mitteilung auf der Statusseite' }),
    hint: words({
      en: 'One line, such as planned maintenance. Empty removes it.',
      de: 'Eine Zeile, etwa eine geplante Wartung. Leer entfernt sie.',
    }),
    hintWhenSet: (when: Text): Words =>
      words({
        en: html`One line, such as planned maintenance. Empty removes it. Set ${when}.`,
        de: html`Eine Zeile, etwa eine geplante Wartung. Leer entfernt sie. Eingestellt ${when}.`,
      }),
    save: words({ en: 'Save notice', de: 'Mitteilung speichern' }),
  },
}

/** Texts of the list of the user's bots. */
export const botListWords = {
  caption: words({
    en: 'Bots that you own or work on, the oldest first',
    de: 'Bots, die Ihnen gehören oder an denen Sie mitwirken, die ältesten zuerst',
  }),
  bot: words({ en: 'Bot', de: 'Bot' }),
  state: words({ en: 'State', de: 'Zustand' }),
  hosted: words({ en: 'Hosted', de: 'Betrieben' }),
  notSaidWhere: words({ en: 'Not said where', de: 'Kein Ort angegeben' }),
  lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letztes Lebenszeichen' }),
  status: words({ en: 'Status', de: 'Status' }),
  public: words({ en: 'Public', de: 'Öffentlich' }),
  notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
  earlier: words({ en: 'Earlier bots', de: 'Ältere Bots' }),
  later: words({ en: 'Later bots', de: 'Neuere Bots' }),
  pageOf: (page: number, pages: number, bots: number): Words =>
    words({ en: `Page ${page} of ${pages}, ${bots} bots`, de: `Seite ${page} von ${pages}, ${bots} Bots` }),
  /** What users without a bot can do: bots are created on the platform, not here. */
  none: {
    title: words({ en: 'You have no bot yet', de: 'Sie haben noch keinen Bot' }),
    steps: words({
      en: html`<p>Bots are made on the platform that this service belongs to. Once it has made one for you, the bot stands here with its state, its webhooks and its logs.</p>
<ol>
<li>Make a bot on the platform, while signed in with this account. Its operator can also make one for you; give them your user id, which stands on <a href="/account">your account page</a>.</li>
<li>If somebody has a bot already and wants you to work on it, they add you as a coworker with your e-mail address.</li>
<li>Open the bot here, switch its hosting on, and connect a runtime that runs it.</li>
</ol>`,
      de: html`<p>Bots entstehen auf der Plattform, zu der dieser Dienst gehört. Hat sie einen für Sie angelegt, steht er hier mit seinem Zustand, seinen Webhooks und seinem Protokoll.</p>
<ol>
<li>Legen Sie auf der Plattform einen Bot an, während Sie mit diesem Konto angemeldet sind. Auch wer die Plattform betreibt, kann einen für Sie anlegen und braucht dafür Ihre Benutzer-Id; sie steht auf <a href="/account">Ihrer Kontoseite</a>.</li>
<li>Hat jemand schon einen Bot, an dem Sie mitwirken sollen, werden Sie dort mit Ihrer E-Mail-Adresse aufgenommen.</li>
<li>Öffnen Sie den Bot hier, schalten Sie sein Hosting ein und verbinden Sie eine Runtime, die ihn betreibt.</li>
</ol>`,
    }),
  },
}

export const statusBadgeWords = words({ en: 'Status badge', de: 'Status-Plakette' })
