import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Text for a bot's settings page. */
export const botSettingsWords = {
  location: {
    title: words({ en: 'Hosting location', de: 'Hosting-Standort' }),
    about: words({
      en: 'Shown to collaborators and in the status API. It doesn’t restrict runtimes.',
      de: 'Wird Bearbeitern und in der Status-API angezeigt. Runtimes werden dadurch nicht eingeschränkt.',
    }),
    label: words({ en: 'Location', de: 'Standort' }),
    localMeans: words({ en: 'A runtime on your own machine.', de: 'Der Bot läuft auf Ihrem eigenen Rechner.' }),
    cloudMeans: words({ en: 'A runtime operated by the platform.', de: 'Der Bot läuft auf der Plattform.' }),
    save: words({ en: 'Save location', de: 'Standort speichern' }),
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
    notPublicMeans: words({ en: 'Visitors get a 404 page.', de: 'Besucher sehen eine 404-Seite.' }),
    close: words({ en: 'Make status private', de: 'Status verbergen' }),
    closeMeans: words({
      en: 'The status page and badge stop working within one second.',
      de: 'Statusseite und Badge sind spätestens nach einer Sekunde nicht mehr erreichbar.',
    }),
    open: words({ en: 'Make status public', de: 'Status veröffentlichen' }),
    openMeans: words({
      en: 'Anyone can then see the bot’s name, picture, state, and number of servers and shards.',
      de: 'Name, Bild und Zustand des Bots sowie die Anzahl seiner Server und Shards sind dann für alle sichtbar.',
    }),
  },
  notice: {
    title: words({ en: 'Notice', de: 'Mitteilung' }),
    label: words({ en: 'Notice on the status page', de: 'Mitteilung auf der Statusseite' }),
    hint: words({
      en: 'One line, for example about planned maintenance. Leave empty to remove it.',
      de: 'Eine Zeile, etwa zu einer geplanten Wartung. Zum Entfernen leer lassen.',
    }),
    hintWhenSet: (when: Text): Words =>
      words({
        en: html`One line, for example about planned maintenance. Leave empty to remove it. Published ${when}.`,
        de: html`Eine Zeile, etwa zu einer geplanten Wartung. Zum Entfernen leer lassen. Veröffentlicht ${when}.`,
      }),
    save: words({ en: 'Save notice', de: 'Mitteilung speichern' }),
  },
}

export const statusBadgeWords = words({ en: 'Status badge', de: 'Status-Badge' })
