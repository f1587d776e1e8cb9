import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { emptyState } from '../../../pages/components/empty-state.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { pagination } from './pagination.ts'
import { flowWords } from './words.ts'

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
${pagination(`/bots/${bot.id}/flows`, pageNumber, pages)}`,
  })
}

function listOf({ bot, flows, apiUrl }: FlowsView): Html {
  const words = flowWords.list
  return table({
    caption: words.caption,
    rows: flows,
    columns: [
      {
        title: words.flow,
        cell: ({ id, name }) =>
          html`<a href="/bots/${bot.id}/flows/${id}">${name}</a><br><code class="soft small">${id}</code>`,
      },
      { title: words.kind, cell: ({ kind }) => tag(kind) },
      {
        title: words.address,
        cell: ({ webhook }) =>
          webhook === null
            ? html`<span class="soft">${words.noWebhooks}</span>`
            : html`<code>${webhookAddress(apiUrl, bot.id, webhook.path)}</code>`,
      },
      {
        title: words.authentication,
        cell: ({ webhook }) => (webhook === null ? '' : requiredAuthentication(webhook)),
      },
    ],
  })
}

/** Says how a sender has to authenticate. */
function requiredAuthentication({ requiresKey, signature }: FlowWebhook): Words {
  const words = flowWords.list
  if (signature === null) return requiresKey ? words.keyRequired : words.noneRequired
  return requiresKey ? words.keyAndSignature : words.signature
}

export function webhookAddress(apiUrl: string, botId: string, path: string): string {
  return `${apiUrl}/${botId}/${path}`
}

function noFlows(): Html {
  return emptyState({ title: flowWords.none.title, body: html`<p>${flowWords.none.body}</p>` })
}
