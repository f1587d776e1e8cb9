import type { EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { type DeadReason, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Text, type Words, words } from '../../../pages/html.ts'
import { bytesWords, decimalWords } from '../../../pages/words/figures.ts'

const ownErrors = new Map([
  [
    leaseExpiredError,
    words({ en: 'The runtime didn’t respond in time.', de: 'Die Runtime hat nicht rechtzeitig geantwortet.' }),
  ],
  [
    runtimeDisconnectedError,
    words({ en: 'The runtime disconnected.', de: 'Die Verbindung zur Runtime ist abgebrochen.' }),
  ],
])

/** Translates an error recorded by the service itself. Returns `undefined` for a runtime's error text. */
export function attemptErrorWords(error: string): Words | undefined {
  return ownErrors.get(error)
}

/** Display text for each event state. */
export const eventWords = {
  states: {
    ready: { word: words({ en: 'Waiting', de: 'Wartet' }), filter: words({ en: 'Waiting', de: 'Wartet' }) },
    leased: {
      word: words({ en: 'Processing', de: 'Wird verarbeitet' }),
      filter: words({ en: 'Processing', de: 'Wird verarbeitet' }),
    },
    done: { word: words({ en: 'Delivered', de: 'Zugestellt' }), filter: words({ en: 'Delivered', de: 'Zugestellt' }) },
    dead: {
      word: words({ en: 'Dead letter', de: 'Unzustellbar' }),
      filter: words({ en: 'Dead letters', de: 'Unzustellbar' }),
    },
  } satisfies Record<EventState, { word: Words; filter: Words }>,
  dead: {
    'attempts-spent': words({ en: 'All attempts failed.', de: 'Alle Versuche sind fehlgeschlagen.' }),
    expired: words({ en: 'Not delivered within 24 hours.', de: 'Nicht innerhalb von 24 Stunden zugestellt.' }),
    'refused-by-runtime': words({ en: 'Rejected by the runtime.', de: 'Von der Runtime abgelehnt.' }),
  } satisfies Record<DeadReason, Words>,
  triedAgain: (when: Text): Words => words({ en: html`Next attempt ${when}`, de: html`Nächster Versuch ${when}` }),
  waitsForRuntime: words({ en: 'Waiting for a runtime', de: 'Wartet auf eine Runtime' }),
  /**
   * Names the event that an event with strict order is waiting for.
   *
   * @param head link to that event. `undefined` if the user is not allowed to open it.
   */
  waitsFor: (head: Html | undefined, which: Words): Words =>
    words({
      en: html`Waiting for ${head ?? 'an earlier webhook'}, which ${which}`,
      de: html`Wartet auf ${head === undefined ? 'einen früheren Webhook' : html`Webhook ${head}`}, der ${which}`,
    }),
  head: {
    inProcess: words({ en: 'is being processed', de: 'gerade verarbeitet wird' }),
    untried: words({ en: 'is waiting for a runtime', de: 'auf eine Runtime wartet' }),
    failed: (times: number, nextAttempt: Text | undefined): Words => {
      const en = `failed ${times === 1 ? 'once' : `${times} times`}`
      const de = `${times === 1 ? 'einmal' : `${times}-mal`} fehlgeschlagen ist`
      return nextAttempt === undefined
        ? words({ en: `${en} and is waiting for a runtime`, de: `${de} und auf eine Runtime wartet` })
        : words({ en: html`${en}; next attempt ${nextAttempt}`, de: html`${de}; nächster Versuch ${nextAttempt}` })
    },
  },
  waitsForAttempt: words({ en: 'Waiting for the next attempt', de: 'Wartet auf den nächsten Versuch' }),
  bytes: (bytes: number): Words => words(bytesWords(bytes)),
}

const code = (text: string) => html`<code>${text}</code>`

/** Text for a single webhook: its delivery and its content. */
export const deliveryWords = {
  /** Leaves out what PostgreSQL appends to the ID, which is the same for all events of the bot. */
  named: (id: string): Words => {
    const name = `Webhook ${id.split('-', 1)[0]}`
    return words({ en: name, de: name })
  },
  event: words({ en: 'Event', de: 'Ereignis' }),
  about: words({
    en: 'The event ID is the same for all attempts, so a flow can recognize duplicates.',
    de: 'Die Ereignis-ID ist bei allen Versuchen gleich. Daran kann ein Flow Duplikate erkennen.',
  }),
  received: words({ en: 'Received', de: 'Empfangen' }),
  finished: words({ en: 'Finished', de: 'Abgeschlossen' }),
  flow: words({ en: 'Flow', de: 'Flow' }),
  flowGone: (id: string): Words =>
    words({
      en: html`<code>${id}</code>, which no longer exists`,
      de: html`<code>${id}</code> (existiert nicht mehr)`,
    }),
  eventId: words({ en: 'Event ID', de: 'Ereignis-ID' }),
  isTest: words({
    en: 'A test webhook. It was sent from the flow’s page, without its key or signature.',
    de: 'Ein Test-Webhook. Er wurde auf der Seite des Flows gesendet, ohne dessen Schlüssel oder Signatur.',
  }),
  replayOf: words({ en: 'Replay of', de: 'Ursprünglicher Webhook' }),
  replayedAs: words({ en: 'Replayed as', de: 'Erneut eingereiht als' }),
  replay: words({ en: 'Replay', de: 'Erneut einreihen' }),
  discard: words({ en: 'Discard', de: 'Verwerfen' }),
  tryNow: words({ en: 'Try now', de: 'Jetzt versuchen' }),
  tryNowMeans: words({
    en: '“Try now” skips the wait for the next attempt. A discarded webhook is never delivered.',
    de: '„Jetzt versuchen“ überspringt die Wartezeit bis zum nächsten Versuch. Verworfene Webhooks werden nicht mehr zugestellt.',
  }),
  discardInLineMeans: words({
    en: 'A discarded webhook is never delivered.',
    de: 'Verworfene Webhooks werden nicht mehr zugestellt.',
  }),
  replayMeans: words({
    en: 'A replay is a new webhook with the same content. This one doesn’t change.',
    de: 'Beim erneuten Einreihen entsteht ein neuer Webhook mit demselben Inhalt. Der ursprüngliche bleibt unverändert.',
  }),
  neighbours: {
    title: words({ en: 'Other webhooks', de: 'Andere Webhooks' }),
    newer: words({ en: 'Newer', de: 'Neuer' }),
    older: words({ en: 'Older', de: 'Älter' }),
  },
  attempts: {
    title: words({ en: 'Attempts', de: 'Versuche' }),
    attempt: (number: number): Words => words({ en: `Attempt ${number}`, de: `Versuch ${number}` }),
    next: words({ en: 'Next attempt', de: 'Nächster Versuch' }),
    outcomes: {
      acknowledged: words({ en: 'Delivered', de: 'Zugestellt' }),
      failed: words({ en: 'Failed', de: 'Fehlgeschlagen' }),
      'under-way': words({ en: 'Processing', de: 'Wird verarbeitet' }),
    },
    took: ({ en, de }: { en: string; de: string }): Words => words({ en: `took ${en}`, de: `Dauer: ${de}` }),
  },
  request: {
    title: words({ en: 'Request', de: 'Anfrage' }),
    about: words({
      en: 'The request as received. Of its headers, only content-type, user-agent, x-forwarded-for and x-request-id are kept.',
      de: 'So wurde die Anfrage empfangen. Von den Headern werden nur content-type, user-agent, x-forwarded-for und x-request-id gespeichert.',
    }),
    path: words({ en: 'Path', de: 'Pfad' }),
    sentFrom: words({ en: 'Client IP', de: 'Client-IP' }),
    body: words({ en: 'Body', de: 'Inhalt' }),
    forms: {
      json: words({ en: 'JSON', de: 'JSON' }),
      text: words({ en: 'text', de: 'Text' }),
      hex: words({ en: 'hexadecimal digits', de: 'Hexadezimalziffern' }),
    },
    /** @param form how the body is shown, such as “JSON”. `undefined` if the body is empty. */
    shown: (bytes: number, form: Words | undefined, isCut: boolean): Words => {
      const { en, de } = bytesWords(bytes)
      return words({
        en: html`${en}${form !== undefined && html`, shown as ${form}`}${isCut && '. Only the beginning is shown'}.`,
        de: html`${de}${form !== undefined && html`, angezeigt als ${form}`}${isCut && '. Nur der Anfang wird angezeigt'}.`,
      })
    },
    curl: words({ en: 'Copy as curl', de: 'Als curl kopieren' }),
    curlHint: words({
      en: html`Sends this request again. If the command uses ${code('GATEHOUSE_FLOW_KEY')} or ${code('GATEHOUSE_SIGNING_SECRET')}, set them first. If it reads a file, download the original body first.`,
      de: html`Sendet diese Anfrage erneut. Falls der Befehl ${code('GATEHOUSE_FLOW_KEY')} oder ${code('GATEHOUSE_SIGNING_SECRET')} verwendet, setzen Sie den Wert zuerst. Falls er eine Datei liest, laden Sie zuerst den Originalinhalt herunter.`,
    }),
    download: words({ en: 'Download original body', de: 'Originalinhalt herunterladen' }),
  },
  refused: {
    'in-process': words({
      en: 'A runtime is processing this webhook, so you can’t discard it now.',
      de: 'Dieser Webhook wird gerade verarbeitet und kann jetzt nicht verworfen werden.',
    }),
    finished: words({
      en: 'This webhook is no longer waiting. Nothing was changed.',
      de: 'Dieser Webhook wartet nicht mehr. Es wurde nichts geändert.',
    }),
    'behind-another': words({
      en: 'This flow uses strict order, and an earlier webhook comes first. Wait for its delivery, or discard it.',
      de: 'Dieser Flow hält die Reihenfolge strikt ein, und ein früherer Webhook ist noch offen. Warten Sie auf dessen Zustellung oder verwerfen Sie ihn.',
    }),
    'queue-full': words({
      en: 'The bot’s queue is full. Try again when a runtime has processed some webhooks.',
      de: 'Die Warteschlange des Bots ist voll. Versuchen Sie es erneut, sobald eine Runtime einige Webhooks verarbeitet hat.',
    }),
    'gateway-unavailable': words({
      en: 'The gateway can’t store webhooks right now. Try again in a moment.',
      de: 'Das Gateway kann gerade keine Webhooks speichern. Versuchen Sie es in Kürze erneut.',
    }),
  },
}

/** Text for discarding and replaying dead letters. */
export const deadLetterWords = {
  title: words({ en: 'Dead letters', de: 'Unzustellbare Webhooks' }),
  discardOne: words({ en: 'Discard this dead letter?', de: 'Diesen unzustellbaren Webhook verwerfen?' }),
  discardOneEffect: words({
    en: 'The dead letter is deleted with its content and can no longer be replayed.',
    de: 'Der Webhook wird samt Inhalt gelöscht. Erneutes Einreihen ist danach nicht mehr möglich.',
  }),
  discardWaiting: words({ en: 'Discard this waiting webhook?', de: 'Diesen wartenden Webhook verwerfen?' }),
  discardWaitingEffect: words({
    en: 'The webhook is deleted with its content and never delivered.',
    de: 'Der Webhook wird samt Inhalt gelöscht und nicht mehr zugestellt.',
  }),
  laterOnesContinue: words({
    en: 'Later webhooks are still delivered.',
    de: 'Die nachfolgenden Webhooks werden trotzdem zugestellt.',
  }),
  keep: words({ en: 'Keep webhook', de: 'Webhook behalten' }),
  replayAll: (of: string): Words =>
    words({ en: `Replay all dead letters for ${of}?`, de: `Alle unzustellbaren Webhooks von ${of} erneut einreihen?` }),
  discardAll: (of: string): Words =>
    words({ en: `Discard all dead letters for ${of}?`, de: `Alle unzustellbaren Webhooks von ${of} verwerfen?` }),
  replayAllEffect: words({
    en: 'Each dead letter is queued as a new webhook, oldest first. Dead letters already replayed are skipped.',
    de: 'Die Webhooks werden als neue Webhooks eingereiht, die ältesten zuerst. Bereits erneut eingereihte werden übersprungen.',
  }),
  discardAllEffect: words({
    en: 'These dead letters are deleted with their content, even those already replayed. You can no longer replay them.',
    de: 'Diese Webhooks werden samt Inhalt gelöscht, auch bereits erneut eingereihte. Erneutes Einreihen ist danach nicht mehr möglich.',
  }),
  done: (action: 'replay' | 'discard', events: number): Words => {
    const en = `${events.toLocaleString('en-GB')} ${events === 1 ? 'dead letter' : 'dead letters'}`
    const de = `${events.toLocaleString('de-DE')} ${events === 1 ? 'Webhook' : 'Webhooks'}`
    return action === 'replay'
      ? words({ en: `${en} replayed.`, de: `${de} erneut eingereiht.` })
      : words({ en: `${en} discarded.`, de: `${de} verworfen.` })
  },
  replayed: words({ en: 'Replayed', de: 'Erneut eingereiht' }),
  discarded: words({ en: 'Discarded', de: 'Verworfen' }),
  stopped: {
    'queue-full': words({
      en: 'The bot’s queue is full, so not all dead letters were replayed. Continue when a runtime has processed some webhooks.',
      de: 'Abgebrochen, weil die Warteschlange des Bots voll ist. Fahren Sie fort, sobald eine Runtime einige Webhooks verarbeitet hat.',
    }),
    'gateway-unavailable': words({
      en: 'The gateway can’t store webhooks right now, so not all dead letters were replayed. Wait a moment, then continue.',
      de: 'Abgebrochen, weil das Gateway gerade keine Webhooks speichern kann. Warten Sie einen Moment und fahren Sie dann fort.',
    }),
  },
  toDeliveries: words({ en: 'View deliveries', de: 'Zustellungen anzeigen' }),
  more: words({ en: 'There may be more dead letters.', de: 'Möglicherweise gibt es weitere unzustellbare Webhooks.' }),
  continue: words({ en: 'Continue', de: 'Fortfahren' }),
}

const tones: Record<EventState, Tone> = { ready: 'neutral', leased: 'neutral', done: 'good', dead: 'bad' }

export function eventState({ state: is }: Pick<EventSummary, 'state'>): Html {
  return state({ tone: tones[is], word: eventWords.states[is].word })
}

/**
 * The earlier event that an event with strict order is waiting for. `address` is `undefined` for users who are not
 * allowed to open its page.
 */
interface Ahead {
  event: EventSummary
  address: string | undefined
}

/**
 * Describes the event's state in detail.
 *
 * @param ahead the flow's oldest unfinished event, which an event with strict order is waiting for.
 */
export function eventDetail(event: EventSummary, nowMs: number, ahead?: Ahead): Text {
  const { state: is, attempts, dueAtMs, deadBecause } = event
  if (is === 'dead') return deadBecause === undefined ? '' : eventWords.dead[deadBecause]
  if (is === 'ready' && ahead !== undefined) {
    const { event: head, address } = ahead
    const link = address === undefined ? undefined : html`<a href="${address}"><code>${head.id}</code></a>`
    return eventWords.waitsFor(link, headWords(head, nowMs))
  }
  if (is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs)
    return eventWords.triedAgain(timeUntil(dueAtMs, nowMs))
  if (is === 'ready') return attempts === 0 ? eventWords.waitsForRuntime : eventWords.waitsForAttempt
  return ''
}

function headWords({ state: is, attempts, dueAtMs }: EventSummary, nowMs: number): Words {
  if (is === 'leased') return eventWords.head.inProcess
  if (attempts === 0) return eventWords.head.untried
  const isLater = dueAtMs !== undefined && dueAtMs > nowMs
  return eventWords.head.failed(attempts, isLater ? timeUntil(dueAtMs, nowMs) : undefined)
}

/** Formats a duration briefly, such as `400 ms`, `1.3 s`, `12 min` or `2 h 5 min`. */
export function tookWords(ms: number): { en: string; de: string } {
  if (ms < 1_000) return decimalWords(`${ms} ms`)
  if (ms < 60_000) return decimalWords(`${(ms / 1_000).toFixed(1)} s`)
  const minutes = Math.round(ms / 60_000)
  const text = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return { en: text, de: text }
}
