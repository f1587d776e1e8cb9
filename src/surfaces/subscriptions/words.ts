import type { EventType } from '../../domain/subscriptions/outgoing-event.ts'
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
      de: html`Ihre URL erhält bei Ereignissen Ihrer Bots und Anwendungen eine signierte Anfrage. Die Anleitung <a href="${guide}">Events</a> beschreibt die Anfragen.`,
    }),
  none: {
    title: words({ en: 'No subscriptions yet', de: 'Noch keine Abonnements' }),
    body: words({
      en: 'Add the URL of your server, or of a chat, ticketing or alerting tool that accepts Standard Webhooks.',
      de: 'Fügen Sie die URL Ihres Servers oder die eines Chat-, Ticket- oder Alerting-Systems hinzu, das „Standard Webhooks“ annimmt.',
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
    'switched-off': words({ en: 'Turned off', de: 'Deaktiviert' }),
    gone: words({ en: 'Disabled', de: 'Automatisch deaktiviert' }),
  },
  gone: words({
    en: 'Disabled because the URL responded with 410 Gone. To send events again, edit the subscription and select “Send events”.',
    de: 'Automatisch deaktiviert, weil die URL mit 410 Gone geantwortet hat. Zum Fortsetzen bearbeiten Sie das Abonnement und wählen Sie „Ereignisse senden“.',
  }),
  previousSecret: words({ en: 'Previous secret', de: 'Vorheriges Secret' }),
  signsUntil: (when: Text): Words =>
    words({ en: html`also signs, expires ${when}`, de: html`signiert ebenfalls, läuft ${when} ab` }),
  test: words({ en: 'Send test event', de: 'Testereignis senden' }),
  edit: words({ en: 'Edit', de: 'Bearbeiten' }),
  rotate: words({ en: 'Rotate secret', de: 'Secret erneuern' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
}

/** Names of the event types, with an explanation. */
export const eventTypeWords: Record<EventType, { name: Words; hint: Words }> = {
  'bot.offline': {
    name: words({ en: 'Bot went offline', de: 'Bot ist offline gegangen' }),
    hint: words({
      en: 'No heartbeat for 90 seconds, connection lost, or hosting turned off.',
      de: '90 Sekunden ohne Heartbeat, Verbindung abgebrochen oder Hosting deaktiviert.',
    }),
  },
  'bot.online': {
    name: words({ en: 'Bot came online', de: 'Bot ging online' }),
    hint: words({ en: 'The bot is connected again.', de: 'Der Bot ist wieder verbunden.' }),
  },
  'delivery.dead': {
    name: words({ en: 'Webhooks became dead letters', de: 'Webhooks wurden unzustellbar' }),
    hint: words({
      en: 'All attempts failed, 24 hours passed, or a runtime rejected them.',
      de: 'Alle Versuche sind fehlgeschlagen, 24 Stunden sind vergangen oder eine Runtime hat sie abgelehnt.',
    }),
  },
  'queue.nearly_full': {
    name: words({ en: 'A bot’s queue is nearly full', de: 'Die Warteschlange eines Bots ist fast voll' }),
    hint: words({
      en: 'It has reached 80 % of its limit.',
      de: 'Die Warteschlange hat 80 % ihrer Obergrenze erreicht.',
    }),
  },
  'refresh_token.reused': {
    name: words({ en: 'A refresh token was reused', de: 'Ein Refresh-Token wurde erneut verwendet' }),
    hint: words({
      en: 'Someone stole it, or your application used it twice at the same time. The authorization is revoked.',
      de: 'Es wurde gestohlen oder von Ihrer Anwendung zweimal gleichzeitig verwendet. Die Autorisierung ist widerrufen.',
    }),
  },
  'client_secret.revoked': {
    name: words({ en: 'A client secret was revoked', de: 'Ein Client-Secret wurde widerrufen' }),
    hint: words({
      en: 'The event contains the time of its last use.',
      de: 'Das Ereignis enthält den Zeitpunkt der letzten Verwendung.',
    }),
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
    en: 'Receives POST requests. It must use https://, lead to a public address, and respond with 2xx within 10 seconds.',
    de: 'Empfängt POST-Anfragen. Die URL muss mit https:// beginnen, zu einer öffentlichen Adresse führen und innerhalb von 10 Sekunden mit 2xx antworten.',
  }),
  types: words({ en: 'Events', de: 'Ereignisse' }),
  enabled: words({ en: 'Delivery', de: 'Zustellung' }),
  on: words({ en: 'Send events', de: 'Ereignisse senden' }),
  onHint: words({
    en: 'If not selected, new events are discarded.',
    de: 'Ist diese Option nicht gewählt, werden neue Ereignisse verworfen.',
  }),
  create: words({ en: 'Add subscription', de: 'Abonnement hinzufügen' }),
  save: words({ en: 'Save changes', de: 'Änderungen speichern' }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
}

/** Text for a signing secret. It is shown only once. */
export const secretWords = {
  title: words({ en: 'Signing secret created', de: 'Signatur-Secret erstellt' }),
  label: words({ en: 'Signing secret', de: 'Signatur-Secret' }),
  explain: words({
    en: html`Copy the secret to your server’s settings now: <strong>it is shown only once</strong>. Your server uses it to check the signature of each request.`,
    de: html`Kopieren Sie das Secret jetzt in die Einstellungen Ihres Servers: <strong>Es wird nur einmal angezeigt</strong>. Ihr Server prüft damit die Signatur jeder Anfrage.`,
  }),
  rotateTitle: words({ en: 'Rotate the signing secret?', de: 'Signatur-Secret erneuern?' }),
  rotateEffect: words({
    en: 'For 24 hours, requests are signed with both secrets. Switch your server to the new secret in that time.',
    de: 'Anfragen werden 24 Stunden lang mit beiden Secrets signiert. Stellen Sie Ihren Server in dieser Zeit um.',
  }),
  rotateAgain: words({
    en: 'The previous secret, which was about to expire, stops signing immediately.',
    de: 'Das vorherige Secret war noch befristet gültig und signiert ab sofort nicht mehr.',
  }),
  rotate: words({ en: 'Rotate secret', de: 'Secret erneuern' }),
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
  noneEarlier: words({ en: 'No earlier events.', de: 'Keine älteren Ereignisse.' }),
  created: words({ en: 'Created', de: 'Erstellt' }),
  event: words({ en: 'Event', de: 'Ereignis' }),
  state: words({ en: 'State', de: 'Status' }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  lastError: words({ en: 'Last error', de: 'Letzter Fehler' }),
  replayTag: words({ en: 'Replay', de: 'Erneut eingereiht' }),
  earlier: words({ en: 'Earlier', de: 'Ältere' }),
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
      en: 'The URL points to an internal address, which is not allowed.',
      de: 'Die URL verweist auf eine interne Adresse. Das ist nicht erlaubt.',
    }),
  ],
  [
    sendingFailedError,
    words({ en: 'The service failed to send the request.', de: 'Der Dienst konnte die Anfrage nicht senden.' }),
  ],
  [ownerDisabledError, words({ en: 'Your account was disabled.', de: 'Ihr Konto war gesperrt.' })],
  [subscriptionDisabledError, words({ en: 'The subscription was turned off.', de: 'Das Abonnement war deaktiviert.' })],
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
  replayOf: words({ en: 'Replay of', de: 'Ursprüngliches Ereignis' }),
  replayedAs: words({ en: 'Replayed as', de: 'Erneut eingereiht als' }),
  replay: words({ en: 'Replay', de: 'Erneut einreihen' }),
  replayMeans: words({
    en: 'A replay keeps the webhook-id, so your server can recognize the duplicate.',
    de: 'Die webhook-id bleibt gleich. Daran kann Ihr Server ein Duplikat erkennen.',
  }),
  attempts: words({ en: 'Attempts', de: 'Versuche' }),
  attemptsAbout: words({
    en: 'Any 2xx response counts as delivered. Otherwise, the request is retried after 5 s, 30 s, 2 min, 10 min and 1 h.',
    de: 'Jede 2xx-Antwort gilt als Zustellung. Andernfalls wird die Anfrage nach 5 s, 30 s, 2 min, 10 min und 1 h wiederholt.',
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
  replayed: words({ en: 'Event replayed.', de: 'Ereignis erneut eingereiht.' }),
}

export const unknownWords = {
  what: words({ en: 'Subscription or event not found', de: 'Abonnement oder Ereignis nicht gefunden' }),
  why: words({
    en: 'The subscription doesn’t exist, or the event is no longer in its log.',
    de: 'Das Abonnement gibt es nicht oder das Ereignis ist nicht mehr im Protokoll.',
  }),
  whatToDo: words({
    en: 'Check the URL, or open your subscriptions.',
    de: 'Prüfen Sie die URL oder öffnen Sie Ihre Abonnements.',
  }),
  toList: words({ en: 'Your subscriptions', de: 'Ihre Abonnements' }),
}
