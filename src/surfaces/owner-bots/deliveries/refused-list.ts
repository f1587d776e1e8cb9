import type { Flow } from '../../../domain/bots/flows/flow.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { RefusalCause, RefusedWebhooks } from '../../../domain/webhooks/refused-webhooks.ts'
import { table } from '../../../pages/components/table.ts'
import { exactTime } from '../../../pages/components/time.ts'
import { type Html, html, type Words, words } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'

/**
 * Renders refused webhooks as a table.
 *
 * @param flows the bot's flows, for a column with the flow of each request. `undefined` on a flow's own page, where the
 * table is narrow: omits the column, and shows the status beside the cause.
 */
export function refusedList(botId: string, refused: readonly RefusedWebhooks[], flows?: readonly Flow[]): Html {
  return table({
    caption: refusedWords.caption,
    rows: refused,
    columns: [
      { title: refusedWords.last, cell: ({ lastAtMs }: RefusedWebhooks) => exactTime(lastAtMs) },
      {
        title: refusedWords.cause,
        cell: ({ cause, path }) =>
          html`<strong>${causeWords[cause].what}</strong>${flows === undefined && html` <span class="soft">${causeWords[cause].status}</span>`}${path !== undefined && html` <code>/${path}</code>`}<br><span class="soft small">${causeWords[cause].helps}</span>`,
      },
      ...(flows === undefined
        ? []
        : [{ title: refusedWords.flow, cell: (each: RefusedWebhooks) => flowOf(each, botId, flows) }]),
      {
        title: refusedWords.address,
        cell: ({ address }) => html`<code${!address.includes(':') && html` class="whole"`}>${address}</code>`,
      },
      ...(flows === undefined
        ? []
        : [
            {
              title: refusedWords.response,
              number: true,
              cell: ({ cause }: RefusedWebhooks) => causeWords[cause].status,
            },
          ]),
      { title: refusedWords.times, number: true, cell: ({ count }) => refusedWords.count(count) },
    ],
  })
}

function flowOf({ flowId }: RefusedWebhooks, botId: string, flows: readonly Flow[]): Html {
  if (flowId === undefined) return html`<span class="soft">${refusedWords.noFlow}</span>`
  const flow = flows.find(({ id }) => id === flowId)
  return flow === undefined
    ? html`<code>${flowId}</code>`
    : html`<a href="/bots/${botId}/flows/${flowId}">${flow.name}</a>`
}

const code = (text: string) => html`<code>${text}</code>`

/** Text about webhooks that the gateway refused. */
export const refusedWords = {
  title: words({ en: 'Refused webhooks', de: 'Abgewiesene Webhooks' }),
  about: words({
    en: html`The gateway refused these requests, so they started no flow. Similar requests share a row. The latest ${limits.refusedWebhooksKept} rows per flow are kept for 7 days. Anyone who knows a URL can cause refusals.`,
    de: html`Diese Anfragen wurden abgewiesen und haben keinen Flow gestartet. Gleichartige Anfragen stehen in einer Zeile. Je Flow werden die neuesten ${limits.refusedWebhooksKept} Zeilen 7 Tage lang aufbewahrt. Wer eine URL kennt, kann abgewiesene Anfragen verursachen.`,
  }),
  ofFlow: words({
    en: 'Requests to this flow that were refused in the last 7 days, and why.',
    de: 'Anfragen an diesen Flow, die in den letzten 7 Tagen abgewiesen wurden, mit der Ursache.',
  }),
  caption: words({ en: 'Refused webhooks, latest first', de: 'Abgewiesene Webhooks, neueste zuerst' }),
  last: words({ en: 'Last refused', de: 'Zuletzt abgewiesen' }),
  cause: words({ en: 'Cause', de: 'Ursache' }),
  response: words({ en: 'Response', de: 'Antwort' }),
  flow: words({ en: 'Flow', de: 'Flow' }),
  noFlow: words({ en: 'None', de: 'Keiner' }),
  address: words({ en: 'Client IP', de: 'Client-IP' }),
  times: words({ en: 'Count', de: 'Anzahl' }),
  none: {
    title: words({ en: 'No refused webhooks', de: 'Keine abgewiesenen Webhooks' }),
    body: words({
      en: 'Every request in the last 7 days was accepted. If you miss one, check the URL in the sender’s settings.',
      de: 'Alle Anfragen der letzten 7 Tage wurden angenommen. Fehlt eine, prüfen Sie die URL beim Absender.',
    }),
  },
  all: words({ en: 'View all refused webhooks', de: 'Alle abgewiesenen Webhooks anzeigen' }),
  noneOfFlow: words({ en: 'None were refused.', de: 'Keine Anfrage wurde abgewiesen.' }),
  count: countWords,
}

/** For each cause: its name, the remedy, and the status of the response. */
const causeWords: Record<RefusalCause, { what: Words; helps: Words; status: number }> = {
  'key-missing': {
    what: words({ en: 'No key', de: 'Kein Schlüssel' }),
    helps: words({
      en: html`The header ${code('svc-key')} was missing. Enter the flow’s key in the sender’s settings.`,
      de: html`Der Header ${code('svc-key')} fehlte. Tragen Sie den Schlüssel des Flows beim Absender ein.`,
    }),
    status: 401,
  },
  'key-wrong': {
    what: words({ en: 'Wrong key', de: 'Falscher Schlüssel' }),
    helps: words({
      en: html`The header ${code('svc-key')} contains no valid key of this flow. If the key was replaced, enter the new key in the sender’s settings.`,
      de: html`Der Header ${code('svc-key')} enthält keinen gültigen Schlüssel dieses Flows. Wurde der Schlüssel ersetzt, tragen Sie den neuen beim Absender ein.`,
    }),
    status: 401,
  },
  'signature-missing': {
    what: words({ en: 'No signature', de: 'Keine Signatur' }),
    helps: words({
      en: 'The signature header was missing. Turn on signing in the sender’s settings, or check the sender selected in the flow.',
      de: 'Der Header mit der Signatur fehlte. Aktivieren Sie das Signieren beim Absender oder prüfen Sie den im Flow gewählten Absender.',
    }),
    status: 401,
  },
  'signature-mismatch': {
    what: words({ en: 'Signature mismatch', de: 'Signatur passt nicht' }),
    helps: words({
      en: 'The signature doesn’t match the body. Enter the sender’s signing secret in the flow again.',
      de: 'Die Signatur passt nicht zum Inhalt. Tragen Sie das Signatur-Secret des Absenders erneut im Flow ein.',
    }),
    status: 401,
  },
  'timestamp-stale': {
    what: words({ en: 'Stale timestamp', de: 'Veralteter Zeitstempel' }),
    helps: words({
      en: 'The signed timestamp is more than 5 minutes off. Check the sender’s clock.',
      de: 'Der signierte Zeitstempel weicht mehr als 5 Minuten ab. Prüfen Sie die Uhr des Absenders.',
    }),
    status: 401,
  },
  'too-large': {
    what: words({ en: 'Too large', de: 'Zu groß' }),
    helps: words({
      en: 'The body is larger than 1 MiB. Send a link to the data instead.',
      de: 'Der Inhalt ist größer als 1 MiB. Senden Sie stattdessen einen Link zu den Daten.',
    }),
    status: 413,
  },
  'queue-full': {
    what: words({ en: 'Queue full', de: 'Warteschlange voll' }),
    helps: words({
      en: 'Too many webhooks are waiting. Start a runtime that processes them.',
      de: 'Zu viele Webhooks warten. Starten Sie eine Runtime, die sie verarbeitet.',
    }),
    status: 503,
  },
  'path-unknown': {
    what: words({ en: 'No such path', de: 'Pfad unbekannt' }),
    helps: words({
      en: 'No flow listens on this path. Compare it with the flow’s webhook URL.',
      de: 'Kein Flow hat diesen Pfad. Vergleichen Sie ihn mit der Webhook-URL des Flows.',
    }),
    status: 404,
  },
}
