import type { FastifyInstance } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { RefusalCause, RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { code, emptyState, table } from '../../../pages/components/elements.ts'
import { countWords, exactTime } from '../../../pages/components/figures.ts'
import { showPage } from '../../../pages/form-routes.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, onBot, sendNotFound } from '../bot-pages.ts'
import { flowInFilter } from './list.ts'

export function refusedRoutes(app: FastifyInstance, services: BotPageServices): void {
  showPage(app, '/bots/:botId/deliveries/refused', onBot(services, 'read-bodies'), async (visit) => {
    const { bot, by, request, send } = visit
    const flow = await flowInFilter(visit, (request.query as Record<string, unknown>).flow)
    if (flow === 'unknown') return sendNotFound(visit)
    const [refused, flows] = await Promise.all([
      services.refusalLog.list(by.userId, bot.id, flow?.id, limits.refusedWebhooksShown),
      services.bots.flows.list(bot.id),
    ])
    return send(refusedPage({ ...visit, refused, flows }))
  })
}

function refusedPage(view: BotVisit & { refused: readonly RefusedWebhooks[]; flows: readonly Flow[] }): Html {
  const { bot, refused, flows } = view
  return botPartPage(view, {
    part: 'deliveries',
    inside: { name: t`Refused webhooks` },
    styles: ['deliveries.css'],
    body: html`<p class="soft">${t`The gateway refused these requests, so they started no flow. Similar requests share a row. The latest ${limits.refusedWebhooksKept} rows per flow are kept for 7 days. Anyone who knows a URL can cause refusals.`}</p>
${refused.length === 0 ? emptyState({ title: t`No refused webhooks`, body: html`<p>${t`Every request in the last 7 days was accepted. If you miss one, check the URL in the sender’s settings.`}</p>` }) : refusedList(bot.id, refused, flows)}`,
  })
}

/** Renders refused webhooks. `flows` is for the column with the flow: absent on a flow's own, narrower page. */
export function refusedList(botId: string, refused: readonly RefusedWebhooks[], flows?: readonly Flow[]): Html {
  return table({
    caption: t`Refused webhooks, latest first`,
    rows: refused,
    columns: [
      { title: t`Last refused`, cell: ({ lastAtMs }: RefusedWebhooks) => exactTime(lastAtMs) },
      {
        title: t`Cause`,
        cell: ({ cause, path }) =>
          html`<strong>${causeWords[cause].what}</strong>${flows === undefined && html` <span class="soft">${causeWords[cause].status}</span>`}${path !== undefined && html` <code>/${path}</code>`}<br><span class="soft small">${causeWords[cause].helps}</span>`,
      },
      flows !== undefined && { title: t`Flow`, cell: (each) => flowOf(each, botId, flows) },
      {
        title: t`Client IP`,
        cell: ({ address }) => html`<code${!address.includes(':') && html` class="whole"`}>${address}</code>`,
      },
      flows !== undefined && { title: t`Response`, number: true, cell: ({ cause }) => causeWords[cause].status },
      { title: t`Count`, number: true, cell: ({ count }) => countWords(count) },
    ],
  })
}

function flowOf({ flowId }: RefusedWebhooks, botId: string, flows: readonly Flow[]): Html {
  if (flowId === undefined) return html`<span class="soft">${t.in('error')`None`}</span>`
  const flow = flows.find(({ id }) => id === flowId)
  return flow === undefined
    ? html`<code>${flowId}</code>`
    : html`<a href="/bots/${botId}/flows/${flowId}">${flow.name}</a>`
}

export const causeWords: Record<RefusalCause, { what: Words; helps: Words; status: number }> = {
  'key-missing': {
    what: t`No key`,
    helps: t`The header ${code('svc-key')} was missing. Enter the flow’s key in the sender’s settings.`,
    status: 401,
  },
  'key-wrong': {
    what: t`Wrong key`,
    helps: t`The header ${code('svc-key')} contains no valid key of this flow. If the key was replaced, enter the new key in the sender’s settings.`,
    status: 401,
  },
  'signature-missing': {
    what: t`No signature`,
    helps: t`The signature header was missing. Turn on signing in the sender’s settings, or check the sender selected in the flow.`,
    status: 401,
  },
  'signature-mismatch': {
    what: t`Signature mismatch`,
    helps: t`The signature doesn’t match the body. Enter the sender’s signing secret in the flow again.`,
    status: 401,
  },
  'timestamp-stale': {
    what: t`Stale timestamp`,
    helps: t`The signed timestamp is more than 5 minutes off. Check the sender’s clock.`,
    status: 401,
  },
  'secret-unreadable': {
    what: t`Unreadable secret`,
    helps: t`The service can’t decrypt the signing secret. Enter the sender’s signing secret in the flow again.`,
    status: 503,
  },
  'too-large': {
    what: t`Too large`,
    helps: t`The body is larger than 1 MiB. Send a link to the data instead.`,
    status: 413,
  },
  'queue-full': {
    what: t`Queue full`,
    helps: t`Too many webhooks are waiting. Start a runtime that processes them.`,
    status: 503,
  },
  'path-unknown': {
    what: t`No such path`,
    helps: t`No flow listens on this path. Compare it with the flow’s webhook URL.`,
    status: 404,
  },
}
