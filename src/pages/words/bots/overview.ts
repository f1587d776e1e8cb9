import { html, type Text, type Words, words } from '../../html.ts'

/** A bot at a glance, its hosting, and who may see how it is. */
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
