import type { EventState } from '../../../domain/webhooks/event-log.ts'
import { type DeadReason, leaseRanOut, runtimeGone } from '../../../domain/webhooks/retry.ts'
import { type Html, html, type Text, type Words, words } from '../../../pages/html.ts'
import { bytesWords, decimalWords } from '../../../pages/words/figures.ts'

const ownErrors = new Map([
  [
    leaseRanOut,
    words({ en: 'The runtime did not answer in time.', de: 'Die Runtime hat nicht rechtzeitig geantwortet.' }),
  ],
  [runtimeGone, words({ en: 'The runtime disconnected.', de: 'Die Verbindung zur Runtime ist abgebrochen.' })],
])

/** Translates an error that the service itself recorded. Returns `undefined` for an error text from a runtime. */
export function attemptErrorWords(error: string): Words | undefined {
  return ownErrors.get(error)
}

/** Texts of an event's states. */
export const eventWords = {
  states: {
    ready: { word: words({ en: 'Waiting', de: 'Wartet' }), filter: words({ en: 'Waiting', de: 'Wartende' }) },
    leased: {
      word: words({ en: 'Being done', de: 'In Arbeit' }),
      filter: words({ en: 'Being done', de: 'In Arbeit' }),
    },
    done: { word: words({ en: 'Done', de: 'Erledigt' }), filter: words({ en: 'Done', de: 'Erledigte' }) },
    dead: {
      word: words({ en: 'Dead letter', de: 'Unzustellbar' }),
      filter: words({ en: 'Dead letters', de: 'Unzustellbare' }),
    },
  } satisfies Record<EventState, { word: Words; filter: Words }>,
  dead: {
    'attempts-spent': words({ en: 'All attempts failed.', de: 'Alle Versuche sind gescheitert.' }),
    expired: words({
      en: 'Nobody did it within 24 hours.',
      de: 'Niemand hat es in 24 Stunden erledigt.',
    }),
    'refused-by-runtime': words({
      en: 'The runtime said that trying again is of no use.',
      de: 'Die Runtime sagt, dass weitere Versuche nichts nützen.',
    }),
  } satisfies Record<DeadReason, Words>,
  triedAgain: (when: Text): Words => words({ en: html`Tried again ${when}`, de: html`Neuer Versuch ${when}` }),
  waitsForRuntime: words({ en: 'Waits for a runtime', de: 'Wartet auf eine Runtime' }),
  /** Says which event an ordered event waits for. @param head its link or ID; undefined for users who may not open it. */
  waitsFor: (head: Html | undefined, which: Words): Words =>
    words({
      en: html`Waits for ${head ?? 'an earlier webhook'}, which ${which}`,
      de: html`Wartet auf ${head === undefined ? 'einen früheren Webhook' : html`Webhook ${head}`}, der ${which}`,
    }),
  head: {
    inProcess: words({ en: 'a runtime is working on', de: 'gerade in Arbeit ist' }),
    untried: words({ en: 'waits for a runtime', de: 'auf eine Runtime wartet' }),
    failed: (times: number, nextAttempt: Text | undefined): Words => {
      const en = `failed ${times === 1 ? 'once' : `${times} times`}`
      const de = `${times === 1 ? 'einmal' : `${times}-mal`} gescheitert ist`
      return nextAttempt === undefined
        ? words({ en: `${en} and waits for a runtime`, de: `${de} und auf eine Runtime wartet` })
        : words({ en: html`${en}; next attempt ${nextAttempt}`, de: html`${de}; nächster Versuch ${nextAttempt}` })
    },
  },
  waitsForAttempt: words({ en: 'Waits for the next attempt', de: 'Wartet auf den nächsten Versuch' }),
  bytes: (bytes: number): Words => words(bytesWords(bytes)),
}

/** Texts of the delivery log of a bot. */
export const deliveriesWords = {
  chart: {
    title: (hours: number): Words => words({ en: `The last ${hours} hours`, de: `Die letzten ${hours} Stunden` }),
    accepted: words({ en: 'Accepted', de: 'Angenommen' }),
    delivered: words({ en: 'Done', de: 'Erledigt' }),
    failed: words({ en: 'Failed attempts', de: 'Gescheiterte Versuche' }),
    dead: words({ en: 'Dead letters', de: 'Unzustellbar' }),
    none: (name: Words): Words => words({ en: html`${name}: none`, de: html`${name}: keine` }),
    sum: (name: Words, sum: Words, most: Words): Words =>
      words({
        en: html`${name}: ${sum}, at most ${most} in an hour`,
        de: html`${name}: ${sum}, höchstens ${most} in einer Stunde`,
      }),
    from: (hours: number): Words => words({ en: `${hours} hours ago`, de: `Vor ${hours} Stunden` }),
    to: words({ en: 'Now', de: 'Jetzt' }),
    asTable: words({ en: 'As a table', de: 'Als Tabelle' }),
    caption: words({ en: 'Events by hour, UTC', de: 'Ereignisse nach Stunden, UTC' }),
    hour: words({ en: 'Hour (UTC)', de: 'Stunde (UTC)' }),
  },
  since: {
    any: words({ en: 'Any time', de: 'Jederzeit' }),
    hour: words({ en: 'The last hour', de: 'In der letzten Stunde' }),
    day: words({ en: 'The last 24 hours', de: 'In den letzten 24 Stunden' }),
    week: words({ en: 'The last 7 days', de: 'In den letzten 7 Tagen' }),
  },
  state: words({ en: 'State', de: 'Zustand' }),
  flow: words({ en: 'Flow', de: 'Flow' }),
  all: words({ en: 'All', de: 'Alle' }),
  accepted: words({ en: 'Accepted', de: 'Angenommen' }),
  show: words({ en: 'Show', de: 'Anzeigen' }),
  caption: words({ en: 'Webhooks, newest first', de: 'Webhooks, die neuesten zuerst' }),
  replay: words({ en: 'Replay', de: 'Erneut' }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  body: words({ en: 'Body', de: 'Inhalt' }),
  lastError: words({ en: 'Last error', de: 'Letzter Fehler' }),
  noneLikeThis: words({
    en: 'No webhook is like this. Choose less narrowly.',
    de: 'So einen Webhook gibt es nicht. Wählen Sie weniger eng.',
  }),
  none: {
    title: words({ en: 'No webhook has come yet', de: 'Noch ist kein Webhook gekommen' }),
    body: words({
      en: 'Each webhook that the gateway accepts for this bot stands here, with its attempts and what became of it. The addresses to send to stand under Flows, where you can also send a test.',
      de: 'Jeder Webhook, den das Gateway für diesen Bot annimmt, steht hier, mit seinen Versuchen und was aus ihm wurde. Die Adressen, an die gesendet wird, stehen unter Flows; dort können Sie auch einen Test senden.',
    }),
  },
  deadLetters: {
    title: words({ en: 'Dead letters', de: 'Unzustellbares' }),
    about: words({
      en: 'Events that are not tried any more are kept for 30 days. You can replay or discard all of them at once; you are asked once more.',
      de: 'Ereignisse, die nicht weiter versucht werden, werden 30 Tage aufbewahrt. Sie können alle auf einmal erneut einreichen oder verwerfen; Sie werden vorher noch einmal gefragt.',
    }),
    aboutOfFlow: words({
      en: 'Events that are not tried any more are kept for 30 days. You can replay or discard all of them at once, of this flow; you are asked once more.',
      de: 'Ereignisse, die nicht weiter versucht werden, werden 30 Tage aufbewahrt. Sie können alle dieses Flows auf einmal erneut einreichen oder verwerfen; Sie werden vorher noch einmal gefragt.',
    }),
    replayAll: words({ en: 'Replay all', de: 'Alle erneut einreichen' }),
    discardAll: words({ en: 'Discard all', de: 'Alle verwerfen' }),
  },
}

/** Texts of one webhook: its delivery and its content. */
export const deliveryWords = {
  title: words({ en: 'Webhook', de: 'Webhook' }),
  about: words({
    en: 'It keeps its id over all attempts, so that a flow can tell whether it did it before.',
    de: 'Er behält seine Id über alle Versuche, damit ein Flow erkennt, ob er ihn schon einmal erledigt hat.',
  }),
  accepted: words({ en: 'Accepted', de: 'Angenommen' }),
  finished: words({ en: 'Finished', de: 'Beendet' }),
  flow: words({ en: 'Flow', de: 'Flow' }),
  flowGone: (id: string): Words =>
    words({
      en: html`<code>${id}</code>, which is not there any more`,
      de: html`<code>${id}</code>, den es nicht mehr gibt`,
    }),
  eventId: words({ en: 'Event id', de: 'Ereignis-Id' }),
  replayOf: words({ en: 'Replay of', de: 'Erneut eingereicht von' }),
  replayedAs: words({ en: 'Replayed as', de: 'Erneut eingereicht als' }),
  replay: words({ en: 'Replay', de: 'Erneut einreichen' }),
  discard: words({ en: 'Discard', de: 'Verwerfen' }),
  tryNow: words({ en: 'Try now', de: 'Jetzt versuchen' }),
  tryNowMeans: words({
    en: 'Try now skips the wait for the next attempt. A discarded webhook is never delivered.',
    de: '„Jetzt versuchen“ überspringt die Wartezeit bis zum nächsten Versuch. Ein verworfener Webhook wird nie zugestellt.',
  }),
  discardInLineMeans: words({
    en: 'A discarded webhook is never delivered.',
    de: 'Ein verworfener Webhook wird nie zugestellt.',
  }),
  replayMeans: words({
    en: 'A replay is a new event with the same content; this one stays as it is.',
    de: 'Dabei entsteht ein neues Ereignis mit demselben Inhalt; dieses bleibt, wie es ist.',
  }),
  attempts: {
    title: words({ en: 'Attempts', de: 'Versuche' }),
    about: words({
      en: 'Each time it was handed to a runtime.',
      de: 'Jedes Mal, wenn er einer Runtime übergeben wurde.',
    }),
    none: words({ en: 'No runtime has had it yet.', de: 'Noch hatte ihn keine Runtime.' }),
    list: words({ en: 'Attempts, the first one first', de: 'Versuche, der erste zuerst' }),
    outcomes: {
      acknowledged: words({ en: 'Done', de: 'Erledigt' }),
      failed: words({ en: 'Failed', de: 'Gescheitert' }),
      'under-way': words({ en: 'Under way', de: 'Im Gange' }),
    },
    took: (ms: number): Words => {
      const { en, de } = ms < 1_000 ? { en: `${ms} ms`, de: `${ms} ms` } : decimalWords(`${(ms / 1_000).toFixed(1)} s`)
      return words({ en: `took ${en}`, de: `Dauer: ${de}` })
    },
  },
  request: {
    title: words({ en: 'Request', de: 'Anfrage' }),
    about: words({
      en: 'What came from the sender. Of its headers, these four are kept and handed on.',
      de: 'Was vom Absender kam. Von seinen Kopfzeilen werden diese vier aufbewahrt und weitergegeben.',
    }),
    path: words({ en: 'Path', de: 'Pfad' }),
    sentFrom: words({ en: 'Sent from', de: 'Gesendet von' }),
    body: words({ en: 'Body', de: 'Inhalt' }),
    forms: {
      json: words({ en: 'JSON', de: 'JSON' }),
      text: words({ en: 'text', de: 'Text' }),
      hex: words({ en: 'hexadecimal digits', de: 'hexadezimale Ziffern' }),
    },
    /** @param form undefined: there is nothing to show. */
    shown: (bytes: number, form: Words | undefined, isCut: boolean): Words => {
      const { en, de } = bytesWords(bytes)
      return words({
        en: html`${en}${form !== undefined && html`, shown as ${form}`}${isCut && '. This is only its beginning'}.`,
        de: html`${de}${form !== undefined && html`, gezeigt als ${form}`}${isCut && '. Das ist nur der Anfang'}.`,
      })
    },
    download: words({ en: 'Download the body as it came', de: 'Inhalt herunterladen, wie er kam' }),
  },
  refused: {
    'in-process': words({
      en: 'A runtime is working on this webhook, so it can’t be discarded now.',
      de: 'Eine Runtime arbeitet an diesem Webhook, darum lässt er sich jetzt nicht verwerfen.',
    }),
    finished: words({
      en: 'This webhook is no longer waiting. Nothing was changed.',
      de: 'Dieser Webhook wartet nicht mehr. Es wurde nichts geändert.',
    }),
    'behind-another': words({
      en: 'This flow delivers in strict order, and an earlier webhook comes first. Try or discard that one.',
      de: 'Dieser Flow hält die Reihenfolge strikt ein, und ein früherer Webhook ist zuerst dran. Versuchen oder verwerfen Sie diesen.',
    }),
    'queue-full': words({
      en: 'The bot’s queue is full, so nothing can be replayed. Let a runtime work it off first.',
      de: 'Die Warteschlange des Bots ist voll, darum lässt sich nichts erneut einreichen. Lassen Sie sie zuerst von einer Runtime abarbeiten.',
    }),
    'gateway-unavailable': words({
      en: 'The gateway can not store events right now. Try again in a moment.',
      de: 'Das Gateway kann gerade keine Ereignisse speichern. Versuchen Sie es gleich noch einmal.',
    }),
  },
}

/** Texts for discarding and replaying dead letters. */
export const deadLetterWords = {
  theWebhook: words({ en: 'The webhook', de: 'Der Webhook' }),
  discardOne: words({ en: 'Discard this dead letter?', de: 'Dieses unzustellbare Ereignis verwerfen?' }),
  discardOneEffect: words({
    en: 'It is removed now, with its content. It can not be replayed any more.',
    de: 'Es wird jetzt mit seinem Inhalt entfernt. Es lässt sich dann nicht mehr erneut einreichen.',
  }),
  discardWaiting: words({ en: 'Discard this waiting webhook?', de: 'Diesen wartenden Webhook verwerfen?' }),
  discardWaitingEffect: words({
    en: 'It is removed with its content and is never delivered.',
    de: 'Er wird mit seinem Inhalt entfernt und nie zugestellt.',
  }),
  lineGoesOn: words({
    en: 'Webhooks that wait for it continue without it.',
    de: 'Webhooks, die auf ihn warten, werden ohne ihn weiter zugestellt.',
  }),
  keepIt: words({ en: 'Keep it', de: 'Behalten' }),
  ofBot: (bot: string): Words => words({ en: `Dead letters of ${bot}`, de: `Unzustellbares von ${bot}` }),
  replayAll: (of: string): Words =>
    words({ en: `Replay all dead letters of ${of}?`, de: `Alles Unzustellbare von ${of} erneut einreichen?` }),
  discardAll: (of: string): Words =>
    words({ en: `Discard all dead letters of ${of}?`, de: `Alles Unzustellbare von ${of} verwerfen?` }),
  replayAllEffect: words({
    en: 'Each is accepted anew, the oldest first, and does again what such a webhook does. Those that were replayed before are left out.',
    de: 'Jedes wird erneut angenommen, das älteste zuerst, und tut noch einmal, was ein solcher Webhook tut. Was schon erneut eingereicht wurde, bleibt aus.',
  }),
  discardAllEffect: words({
    en: 'They are removed now, with their content, also those that were replayed. They can not be replayed any more.',
    de: 'Sie werden jetzt mit ihrem Inhalt entfernt, auch die schon erneut eingereichten. Sie lassen sich dann nicht mehr erneut einreichen.',
  }),
  done: (action: 'replay' | 'discard', events: number): Words => {
    const en = `${events.toLocaleString('en-GB')} ${events === 1 ? 'dead letter was' : 'dead letters were'}`
    const de = `${events.toLocaleString('de-DE')} ${events === 1 ? 'Ereignis wurde' : 'Ereignisse wurden'}`
    return action === 'replay'
      ? words({ en: `${en} replayed.`, de: `${de} erneut eingereicht.` })
      : words({ en: `${en} discarded.`, de: `${de} verworfen.` })
  },
  replayed: words({ en: 'Replayed', de: 'Erneut eingereicht' }),
  discarded: words({ en: 'Discarded', de: 'Verworfen' }),
  stopped: {
    'queue-full': words({
      en: 'The bot’s queue is full, so it stopped there. Let a runtime work it off, then go on.',
      de: 'Die Warteschlange des Bots ist voll, darum ging es dort nicht weiter. Lassen Sie eine Runtime sie abarbeiten, und fahren Sie dann fort.',
    }),
    'gateway-unavailable': words({
      en: 'The gateway can not store events right now, so it stopped there. Wait a moment, then go on.',
      de: 'Das Gateway kann gerade keine Ereignisse speichern, darum ging es dort nicht weiter. Warten Sie einen Augenblick, und fahren Sie dann fort.',
    }),
  },
  toDeliveries: words({ en: 'To the deliveries', de: 'Zu den Zustellungen' }),
  more: words({ en: 'There may be more.', de: 'Vielleicht gibt es noch mehr.' }),
  goOn: words({ en: 'Go on', de: 'Fortfahren' }),
}
