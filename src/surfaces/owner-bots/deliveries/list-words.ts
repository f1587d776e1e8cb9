import * as limits from '../../../domain/limits/limits.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'

/** Text for the chart of the last 24 hours. */
export const chartWords = {
  title: (hours: number): Words => words({ en: `Last ${hours} hours`, de: `Letzte ${hours} Stunden` }),
  barsOf: (hours: number): Words =>
    words({ en: `Webhooks in the last ${hours} hours`, de: `Webhooks der letzten ${hours} Stunden` }),
  received: words({ en: 'Received', de: 'Empfangen' }),
  delivered: words({ en: 'Delivered', de: 'Zugestellt' }),
  failed: words({ en: 'Failed attempts', de: 'Fehlgeschlagene Versuche' }),
  dead: words({ en: 'Dead letters', de: 'Unzustellbar' }),
  bar: (hour: string, sums: readonly { name: Words; count: Words }[]): Words => {
    const list = sums.map(({ name, count }, at) => html`${at > 0 && ', '}${name}: ${count}`)
    return words({ en: html`${hour} UTC. ${list}`, de: html`${hour} UTC. ${list}` })
  },
  now: words({ en: 'Now', de: 'Jetzt' }),
  asTable: words({ en: 'Show as table', de: 'Als Tabelle anzeigen' }),
  caption: words({ en: 'Webhooks per hour, UTC', de: 'Webhooks pro Stunde, UTC' }),
  hour: words({ en: 'Hour', de: 'Stunde' }),
}

const counted = (count: number, en: [string, string], de: [string, string]) =>
  words({
    en: html`${countWords(count)} ${en[count === 1 ? 0 : 1]}`,
    de: html`${countWords(count)} ${de[count === 1 ? 0 : 1]}`,
  })
const webhooksWords = (count: number) => counted(count, ['webhook', 'webhooks'], ['Webhook', 'Webhooks'])

/** Hidden by the script, which takes the time in the browser's time zone. */
const inUtc = html`<span data-utc-only>(UTC)</span>`

/** Text for the list of a bot's webhooks. */
export const listWords = {
  states: words({ en: 'Filter by state', de: 'Nach Status filtern' }),
  all: words({ en: 'All', de: 'Alle' }),
  refused: words({ en: 'Refused', de: 'Abgewiesen' }),
  filter: words({ en: 'Search and filter', de: 'Suchen und filtern' }),
  search: words({ en: 'Event ID or text in the body', de: 'Ereignis-ID oder Text im Inhalt' }),
  searchId: words({ en: 'Event ID', de: 'Ereignis-ID' }),
  since: {
    any: words({ en: 'Any time', de: 'Gesamter Zeitraum' }),
    hour: words({ en: 'Last hour', de: 'Letzte Stunde' }),
    day: words({ en: 'Last 24 hours', de: 'Letzte 24 Stunden' }),
    week: words({ en: 'Last 7 days', de: 'Letzte 7 Tage' }),
  },
  range: words({ en: 'Custom range', de: 'Eigener Zeitraum' }),
  from: words({ en: html`From ${inUtc}`, de: html`Von ${inUtc}` }),
  until: words({ en: html`To ${inUtc}`, de: html`Bis ${inUtc}` }),
  apply: words({ en: 'Apply filter', de: 'Filter anwenden' }),
  reset: words({ en: 'Show all', de: 'Alle anzeigen' }),
  caption: words({ en: 'Webhooks, newest first', de: 'Webhooks, neueste zuerst' }),
  choose: words({ en: 'Select', de: 'Auswählen' }),
  chooseAll: words({ en: 'Select all', de: 'Alle auswählen' }),
  chooseOne: (id: string): Words => words({ en: `Select ${id}`, de: `${id} auswählen` }),
  /** The script replaces the 0 with the number of selected webhooks. */
  chosen: words({ en: '0 selected', de: '0 ausgewählt' }),
  received: words({ en: 'Received', de: 'Empfangen' }),
  state: words({ en: 'State', de: 'Status' }),
  eventId: words({ en: 'Event ID', de: 'Ereignis-ID' }),
  flow: words({ en: 'Flow', de: 'Flow' }),
  body: words({ en: 'Error or body', de: 'Fehler oder Inhalt' }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  totalTime: words({ en: 'Total time', de: 'Gesamtzeit' }),
  lastError: words({ en: 'Last error', de: 'Letzter Fehler' }),
  test: words({ en: 'Test', de: 'Test' }),
  replay: words({ en: 'Replay', de: 'Erneut eingereiht' }),
  noneLikeThis: words({ en: 'No webhooks match this filter.', de: 'Kein Webhook entspricht diesem Filter.' }),
  none: {
    title: words({ en: 'No webhooks yet', de: 'Noch keine Webhooks' }),
    body: words({
      en: 'Webhooks for this bot appear here with their attempts and results. Find the webhook URLs under Flows, where you can also send a test.',
      de: 'Hier erscheinen die Webhooks dieses Bots mit allen Versuchen und Ergebnissen. Die Webhook-URLs finden Sie unter „Flows“. Dort können Sie auch einen Test senden.',
    }),
  },
  searched: (examined: number, backTo: Text | undefined): Words =>
    words({
      en: html`Searched ${webhooksWords(examined)}${backTo !== undefined && html`, back to ${backTo}`}.`,
      de: html`${webhooksWords(examined)} durchsucht${backTo !== undefined && html`, zurück bis ${backTo}`}.`,
    }),
  searchedAll: (examined: number): Words =>
    words({
      en: html`Searched all ${webhooksWords(examined)} that match this filter.`,
      de: html`Alle passenden Webhooks durchsucht: ${countWords(examined)}.`,
    }),
  searchedPart: (bytes: Words): Words =>
    words({
      en: html`The search covers the first ${bytes} of each body.`,
      de: html`Von jedem Inhalt werden die ersten ${bytes} durchsucht.`,
    }),
  searchFurther: words({ en: 'Search further', de: 'Weitersuchen' }),
  noneFound: words({ en: 'Nothing found so far.', de: 'Bisher nichts gefunden.' }),
  export: words({ en: 'Export:', de: 'Exportieren:' }),
  // A function, because formatting the number while modules load would add 20 ms to every start.
  exportHint: (): Words =>
    words({
      en: html`Exports contain up to ${countWords(limits.eventsExportedMax)} webhooks, without their bodies.`,
      de: html`Exporte enthalten bis zu ${countWords(limits.eventsExportedMax)} Webhooks ohne Inhalt.`,
    }),
  exportCut: (before: string): Words =>
    words({
      en: `The export ends here, at its limit of ${limits.eventsExportedMax.toLocaleString('en')} webhooks. For older ones, add before=${before} to the address of the export.`,
      de: `Der Export endet hier, bei der Grenze von ${limits.eventsExportedMax.toLocaleString('de')} Webhooks. Für ältere ergänzen Sie die Adresse des Exports um before=${before}.`,
    }),
  live: {
    off: words({ en: 'Reload to update.', de: 'Zum Aktualisieren neu laden.' }),
    on: words({ en: 'Live', de: 'Wird laufend aktualisiert' }),
    lost: words({ en: 'Connection lost. Reconnecting…', de: 'Verbindung unterbrochen. Wird wiederhergestellt …' }),
    looked: words({ en: 'Updated every 15 seconds.', de: 'Wird alle 15 Sekunden aktualisiert.' }),
  },
  selection: {
    replay: words({ en: 'Replay selected', de: 'Ausgewählte erneut einreihen' }),
    discard: words({ en: 'Discard selected', de: 'Ausgewählte verwerfen' }),
    none: words({ en: 'Select at least one webhook.', de: 'Wählen Sie mindestens einen Webhook aus.' }),
    tooMany: words({ en: 'Select fewer webhooks.', de: 'Wählen Sie weniger Webhooks aus.' }),
    ask: (count: number): Words =>
      words({ en: html`Discard ${webhooksWords(count)}?`, de: html`${webhooksWords(count)} verwerfen?` }),
    askEffect: words({
      en: 'Selected webhooks that are waiting or dead letters are deleted with their content. Other webhooks don’t change.',
      de: 'Ausgewählte wartende und unzustellbare Webhooks werden samt Inhalt gelöscht. Andere bleiben unverändert.',
    }),
    replayed: (count: number): Words =>
      words({ en: html`${webhooksWords(count)} replayed.`, de: html`${webhooksWords(count)} erneut eingereiht.` }),
    discarded: (count: number): Words =>
      words({ en: html`${webhooksWords(count)} discarded.`, de: html`${webhooksWords(count)} verworfen.` }),
    skippedReplay: (count: number): Words =>
      words({
        en: html`${webhooksWords(count)} skipped: only delivered webhooks and dead letters can be replayed.`,
        de: html`${webhooksWords(count)} übersprungen: Nur zugestellte und unzustellbare lassen sich erneut einreihen.`,
      }),
    skippedDiscard: (count: number): Words =>
      words({
        en: html`${webhooksWords(count)} skipped: only waiting webhooks and dead letters can be discarded.`,
        de: html`${webhooksWords(count)} übersprungen: Nur wartende und unzustellbare lassen sich verwerfen.`,
      }),
  },
  deadLetters: {
    title: words({ en: 'Dead letters', de: 'Unzustellbare Webhooks' }),
    about: words({
      en: 'Dead letters are no longer retried and are kept for 30 days. You can replay or discard them all at once.',
      de: 'Unzustellbare Webhooks werden nach 30 Tagen gelöscht. Bis dahin können Sie alle auf einmal erneut einreihen oder verwerfen.',
    }),
    aboutOfFlow: words({
      en: 'Dead letters are no longer retried and are kept for 30 days. You can replay or discard all dead letters of this flow at once.',
      de: 'Unzustellbare Webhooks werden nach 30 Tagen gelöscht. Bis dahin können Sie alle aus diesem Flow auf einmal erneut einreihen oder verwerfen.',
    }),
    replayAll: words({ en: 'Replay all', de: 'Alle erneut einreihen' }),
    discardAll: words({ en: 'Discard all', de: 'Alle verwerfen' }),
  },
}
