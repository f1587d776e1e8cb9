import type { EventType } from '../../domain/subscriptions/event-type.ts'
import {
  internalAddressError,
  ownerDisabledError,
  sendingFailedError,
  subscriptionDisabledError,
} from '../../domain/subscriptions/outgoing-requests.ts'
import type { EventState } from '../../domain/webhooks/event-log.ts'
import { leaseExpiredError, runtimeDisconnectedError } from '../../domain/webhooks/retry.ts'
import { html, type Text, type Words, words } from '../../pages/html.ts'

/** Text for the list of subscriptions and for one subscription. */
export const subscriptionWords = {
  title: words({ en: 'Event subscriptions', de: 'Ereignis-Abonnements' }),
  /** @param guide the guide's URL. */
  about: (guide: string): Words =>
    words({
      en: html`Receive a signed request at your URL when something happens to your bots or applications. The guide <a href="${guide}">Events</a> describes the requests.`,
      de: html`Ihre URL erhält eine signierte Anfrage, wenn mit Ihren Bots oder Anwendungen etwas geschieht. Die Anleitung <a href="${guide}">Events</a> beschreibt die Anfragen.`,
    }),
  none: {
    title: words({ en: 'No subscriptions yet', de: 'Noch keine Abonnements' }),
    body: words({
      en: 'Add a URL of your server or of a chat, ticket or alerting tool that takes Standard Webhooks.',
      de: 'Fügen Sie eine URL Ihres Servers hinzu, oder die eines Chat-, Ticket- oder Alarmsystems, das Standard Webhooks annimmt.',
    }),
  },
  add: words({ en: 'Add subscription', de: 'Abonnement hinzufügen' }),
  caption: words({ en: 'Your subscriptions, newest first', de: 'Ihre Abonnements, neueste zuerst' }),
  url: words({ en: 'Endpoint URL', de: 'Ziel-URL' }),
  events: words({ en: 'Events', de: 'Ereignisse' }),
  state: words({ en: 'State', de: 'Status' }),
  created: words({ en: 'Created', de: 'Erstellt' }),
  id: words({ en: 'Subscription ID', de: 'Abonnement-ID' }),
  states: {
    active: words({ en: 'Active', de: 'Aktiv' }),
    'switched-off': words({ en: 'Switched off', de: 'Ausgeschaltet' }),
    gone: words({ en: 'Disabled', de: 'Deaktiviert' }),
  },
  gone: words({
    en: 'Disabled because the URL responded with 410 Gone. To send events again, edit the subscription and switch it on.',
    de: 'Deaktiviert, weil die URL mit 410 Gone geantwortet hat. Um wieder Ereignisse zu senden, bearbeiten Sie das Abonnement und schalten Sie es ein.',
  }),
  previousSecret: words({ en: 'Previous secret', de: 'Bisheriges Geheimnis' }),
  signsUntil: (when: Text): Words =>
    words({ en: html`also signs, expires ${when}`, de: html`signiert mit, läuft ${when} ab` }),
  test: words({ en: 'Send test event', de: 'Testereignis senden' }),
  edit: words({ en: 'Edit', de: 'Bearbeiten' }),
  rotate: words({ en: 'Rotate secret', de: 'Geheimnis ersetzen' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
}

/** Names of the event types, with an explanation. */
export const eventTypeWords: Record<EventType, { name: Words; hint: Words }> = {
  'bot.offline': {
    name: words({ en: 'Bot went offline', de: 'Bot ist offline' }),
    hint: words({
      en: 'No heartbeat for 90 seconds, connection lost, or hosting switched off.',
      de: '90 Sekunden kein Heartbeat, Verbindung verloren oder Hosting ausgeschaltet.',
    }),
  },
  'bot.online': {
    name: words({ en: 'Bot came online', de: 'Bot ist online' }),
    hint: words({ en: 'The bot is connected again.', de: 'Der Bot ist wieder verbunden.' }),
  },
  'delivery.dead': {
    name: words({ en: 'Webhooks became dead letters', de: 'Webhooks sind unzustellbar' }),
    hint: words({
      en: 'All attempts failed, or 24 hours passed.',
      de: 'Alle Versuche sind fehlgeschlagen, oder 24 Stunden sind vergangen.',
    }),
  },
  'queue.nearly_full': {
    name: words({ en: 'A bot’s queue is nearly full', de: 'Die Warteschlange eines Bots ist fast voll' }),
    hint: words({ en: '80 % of its limit is in use.', de: '80 % ihrer Grenze sind erreicht.' }),
  },
  'refresh_token.reused': {
    name: words({ en: 'A refresh token was reused', de: 'Ein Refresh-Token wurde wiederverwendet' }),
    hint: words({
      en: 'The cause is theft or a race in your application. The user’s tokens are revoked.',
      de: 'Ursache ist ein Diebstahl oder ein Wettlauf in Ihrer Anwendung. Die Tokens des Benutzers sind widerrufen.',
    }),
  },
  'client_secret.revoked': {
    name: words({ en: 'A client secret was revoked', de: 'Ein Client-Secret wurde widerrufen' }),
    hint: words({ en: 'With the time of its last use.', de: 'Mit der Zeit der letzten Verwendung.' }),
  },
  'authorization.revoked': {
    name: words({
      en: 'A user revoked your application’s access',
      de: 'Ein Benutzer hat Ihrer Anwendung den Zugriff entzogen',
    }),
    hint: words({
      en: 'Its tokens for this user no longer work.',
      de: 'Die Tokens der Anwendung für diesen Benutzer sind ungültig.',
    }),
  },
}

export const testEventName = words({ en: 'Test event', de: 'Testereignis' })

/** Text for the form that adds or changes a subscription. */
export const subscriptionFormWords = {
  add: words({ en: 'Add a subscription', de: 'Abonnement hinzufügen' }),
  edit: words({ en: 'Edit subscription', de: 'Abonnement bearbeiten' }),
  url: words({ en: 'Endpoint URL', de: 'Ziel-URL' }),
  urlHint: words({
    en: 'Receives POST requests. It must use https:// and respond with 2xx within 10 seconds.',
    de: 'Empfängt POST-Anfragen. Die URL muss mit https:// beginnen und innerhalb von 10 Sekunden mit 2xx antworten.',
  }),
  types: words({ en: 'Events', de: 'Ereignisse' }),
  enabled: words({ en: 'Delivery', de: 'Zustellung' }),
  on: words({ en: 'Send events', de: 'Ereignisse senden' }),
  onHint: words({
    en: 'While this is off, events aren’t stored for later.',
    de: 'Solange dies aus ist, werden keine Ereignisse für später gespeichert.',
  }),
  create: words({ en: 'Add subscription', de: 'Abonnement hinzufügen' }),
  save: words({ en: 'Save changes', de: 'Änderungen speichern' }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
}

/** Text for a signing secret. It is shown only once. */
export const secretWords = {
  title: words({ en: 'Signing secret created', de: 'Signaturgeheimnis erstellt' }),
  label: words({ en: 'Signing secret', de: 'Signaturgeheimnis' }),
  explain: words({
    en: html`Copy the secret to your server now: <strong>it is shown only once</strong>. Your server uses it to check the signature of each request.`,
    de: html`Kopieren Sie das Geheimnis jetzt auf Ihren Server: <strong>Es wird nur einmal angezeigt</strong>. Ihr Server prüft damit die Signatur jeder Anfrage.`,
  }),
  rotateTitle: words({ en: 'Rotate the signing secret?', de: 'Signaturgeheimnis ersetzen?' }),
  rotateEffect: words({
    en: 'For 24 hours, requests carry signatures of both secrets. Switch your server to the new secret in that time.',
    de: '24 Stunden lang tragen Anfragen die Signaturen beider Geheimnisse. Stellen Sie Ihren Server in dieser Zeit um.',
  }),
  rotateAgain: words({
    en: 'The previous secret from the last rotation stops signing immediately.',
    de: 'Das bisherige Geheimnis vom letzten Ersetzen signiert ab sofort nicht mehr.',
  }),
  rotate: words({ en: 'Rotate secret', de: 'Geheimnis ersetzen' }),
}

export const removalWords = {
  title: words({ en: 'Remove this subscription?', de: 'Dieses Abonnement entfernen?' }),
  effect: words({
    en: 'Its waiting events and its log are deleted. This can’t be undone.',
    de: 'Wartende Ereignisse und das Protokoll werden gelöscht. Das lässt sich nicht rückgängig machen.',
  }),
  remove: words({ en: 'Remove subscription', de: 'Abonnement entfernen' }),
}

/** Text for the log of sent events. */
export const logWords = {
  title: words({ en: 'Event log', de: 'Ereignisprotokoll' }),
  caption: words({ en: 'Events, newest first', de: 'Ereignisse, neueste zuerst' }),
  none: words({
    en: 'No events yet. Send a test event to check your server.',
    de: 'Noch keine Ereignisse. Senden Sie ein Testereignis, um Ihren Server zu prüfen.',
  }),
  noneEarlier: words({ en: 'No earlier events.', de: 'Keine früheren Ereignisse.' }),
  created: words({ en: 'Created', de: 'Erstellt' }),
  event: words({ en: 'Event', de: 'Ereignis' }),
  state: words({ en: 'State', de: 'Status' }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  lastError: words({ en: 'Last error', de: 'Letzter Fehler' }),
  replayTag: words({ en: 'Replay', de: 'Erneut eingereiht' }),
  earlier: words({ en: 'Earlier', de: 'Frühere' }),
  newest: words({ en: 'Newest', de: 'Neueste' }),
  states: {
    ready: words({ en: 'Waiting', de: 'Wartet' }),
    leased: words({ en: 'Sending', de: 'Wird gesendet' }),
    done: words({ en: 'Delivered', de: 'Zugestellt' }),
    dead: words({ en: 'Failed', de: 'Fehlgeschlagen' }),
  } satisfies Record<EventState, Words>,
  nextAttempt: (when: Text): Words => words({ en: html`Next attempt ${when}`, de: html`Nächster Versuch ${when}` }),
}

const ownErrors = new Map([
  [
    internalAddressError,
    words({
      en: 'The URL leads to an internal address, which is not allowed.',
      de: 'Die URL führt zu einer internen Adresse. Das ist nicht erlaubt.',
    }),
  ],
  [
    sendingFailedError,
    words({ en: 'The service failed to send the request.', de: 'Der Dienst konnte die Anfrage nicht senden.' }),
  ],
  [ownerDisabledError, words({ en: 'Your account was disabled.', de: 'Ihr Konto war gesperrt.' })],
  [subscriptionDisabledError, words({ en: 'The subscription was off.', de: 'Das Abonnement war deaktiviert.' })],
  ...[leaseExpiredError, runtimeDisconnectedError].map(
    (error) => [error, words({ en: 'The service was interrupted.', de: 'Der Dienst wurde unterbrochen.' })] as const,
  ),
])

/** Translates an error recorded by the service itself. Returns any other error unchanged. */
export function attemptError(error: string): Words | string {
  return ownErrors.get(error) ?? error
}

/** Text for one sent event. */
export const eventPageWords = {
  replayOf: words({ en: 'Replay of', de: 'Wiederholung von' }),
  replayedAs: words({ en: 'Replayed as', de: 'Wiederholt als' }),
  replay: words({ en: 'Replay', de: 'Erneut einreihen' }),
  replayMeans: words({
    en: 'Keeps the webhook-id, so your server can recognize a duplicate.',
    de: 'Die webhook-id bleibt gleich. Daran kann Ihr Server ein Duplikat erkennen.',
  }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  attemptsAbout: words({
    en: 'Any 2xx response counts as delivered. Other responses are retried after 5 s, 30 s, 2 min, 10 min and 1 h.',
    de: 'Jede 2xx-Antwort gilt als zugestellt. Andere Antworten werden nach 5 s, 30 s, 2 min, 10 min und 1 h wiederholt.',
  }),
  noAttempts: words({ en: 'Not sent yet.', de: 'Noch nicht gesendet.' }),
  outcomes: {
    acknowledged: words({ en: 'Delivered (2xx)', de: 'Zugestellt (2xx)' }),
    failed: words({ en: 'Failed', de: 'Fehlgeschlagen' }),
    'under-way': words({ en: 'Sending', de: 'Wird gesendet' }),
  },
  took: (ms: number): Words => words({ en: `took ${ms} ms`, de: `Dauer: ${ms} ms` }),
  body: words({ en: 'Request body', de: 'Inhalt der Anfrage' }),
}

/** Messages shown once after a change. */
export const doneWords = {
  tested: words({
    en: 'Test event queued. The log shows the response.',
    de: 'Testereignis eingereiht. Das Protokoll zeigt die Antwort.',
  }),
  changed: words({ en: 'Subscription saved.', de: 'Abonnement gespeichert.' }),
  removed: words({ en: 'Subscription removed.', de: 'Abonnement entfernt.' }),
  replayed: words({ en: 'Event queued again.', de: 'Ereignis erneut eingereiht.' }),
}

export const unknownWords = {
  what: words({ en: 'Subscription or event not found', de: 'Abonnement oder Ereignis nicht gefunden' }),
  why: words({
    en: 'The subscription doesn’t exist, or the event is no longer in its log.',
    de: 'Das Abonnement gibt es nicht, oder das Ereignis ist nicht mehr im Protokoll.',
  }),
  whatToDo: words({
    en: 'Check the URL, or start from your subscriptions.',
    de: 'Prüfen Sie die URL, oder beginnen Sie bei Ihren Abonnements.',
  }),
  toList: words({ en: 'Your subscriptions', de: 'Ihre Abonnements' }),
}
