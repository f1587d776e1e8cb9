import type { Flow } from '../../../domain/bots/flow.ts'
import { emptyState } from '../../../http/components/empty-state.ts'
import { tag } from '../../../http/components/notice.ts'
import { table } from '../../../http/components/table.ts'
import { type Html, html } from '../../../http/html.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { pageWays } from './page-ways.ts'

export interface FlowsView extends BotPageView {
  flows: readonly Flow[]
  pageNumber: number
  pages: number
  apiUrl: string
}

export function flowsPage(view: FlowsView): Html {
  const { bot, flows, pageNumber, pages } = view
  return botPartPage(view, {
    part: 'flows',
    body: html`${flows.length === 0 ? noFlows() : listOf(view)}
${pageWays(`/bots/${bot.id}/flows`, pageNumber, pages)}`,
  })
}

function listOf({ bot, flows, apiUrl }: FlowsView): Html {
  return table({
    caption: 'Flows by their ids',
    rows: flows,
    columns: [
      {
        title: 'Flow',
        cell: ({ id, name }) =>
          html`<a href="/bots/${bot.id}/flows/${id}">${name}</a><br><code class="soft small">${id}</code>`,
      },
      { title: 'Kind', cell: ({ kind }) => tag(kind) },
      {
        title: 'Webhook address',
        cell: ({ webhook }) =>
          webhook === null
            ? html`<span class="soft">Takes no webhooks</span>`
            : html`<code>${webhookAddress(apiUrl, bot.id, webhook.path)}</code>`,
      },
      { title: 'Key', cell: ({ webhook }) => (webhook === null ? '' : webhook.requiresKey ? 'Needed' : 'Not needed') },
    ],
  })
}

export function webhookAddress(apiUrl: string, botId: string, path: string): string {
  return `${apiUrl}/${botId}/${path}`
}

function noFlows(): Html {
  return emptyState({
    title: 'The bot has no flow yet',
    body: html`<p>A flow is what the bot does when something happens. You draw flows on the platform. One of the kind <code>event</code> that listens for webhooks gets an address here, to which any program can send.</p>`,
  })
}
