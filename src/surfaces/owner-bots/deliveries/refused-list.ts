import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { table } from '../../../pages/components/table.ts'
import { exactTime } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { causeWords, refusedWords as words } from './refused-words.ts'

/**
 * Renders refused webhooks as a table.
 *
 * @param flows the bot's flows, for a column with the flow of each request. `undefined` on a flow's own page, where the
 * table is narrow: omits the column, and shows the status beside the cause.
 */
export function refusedList(botId: string, refused: readonly RefusedWebhooks[], flows?: readonly Flow[]): Html {
  return table({
    caption: words.caption,
    rows: refused,
    columns: [
      { title: words.last, cell: ({ lastAtMs }: RefusedWebhooks) => exactTime(lastAtMs) },
      {
        title: words.cause,
        cell: ({ cause, path }) =>
          html`<strong>${causeWords[cause].what}</strong>${flows === undefined && html` <span class="soft">${causeWords[cause].status}</span>`}${path !== undefined && html` <code>/${path}</code>`}<br><span class="soft small">${causeWords[cause].helps}</span>`,
      },
      ...(flows === undefined
        ? []
        : [{ title: words.flow, cell: (each: RefusedWebhooks) => flowOf(each, botId, flows) }]),
      {
        title: words.address,
        cell: ({ address }) => html`<code${!address.includes(':') && html` class="whole"`}>${address}</code>`,
      },
      ...(flows === undefined
        ? []
        : [{ title: words.response, number: true, cell: ({ cause }: RefusedWebhooks) => causeWords[cause].status }]),
      { title: words.times, number: true, cell: ({ count }) => words.count(count) },
    ],
  })
}

function flowOf({ flowId }: RefusedWebhooks, botId: string, flows: readonly Flow[]): Html {
  if (flowId === undefined) return html`<span class="soft">${words.noFlow}</span>`
  const flow = flows.find(({ id }) => id === flowId)
  return flow === undefined
    ? html`<code>${flowId}</code>`
    : html`<a href="/bots/${botId}/flows/${flowId}">${flow.name}</a>`
}
