import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import type { FlowId } from '../../../domain/ids.ts'
import { button, buttonRow, postForm } from '../../../pages/components/button.ts'
import { emptyState, section } from '../../../pages/components/card.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { byName, chosenRows, type ListChoice, listForm, noneFound, pagination } from '../../../pages/components/list.ts'
import { tag } from '../../../pages/components/notice.ts'
import { objectLink, table, zero, zeroAs } from '../../../pages/components/table.ts'
import { errorNotices, type Filled, form, textField } from '../../../pages/form.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { code } from './flow-settings-sections.ts'

export const flowSorts = ['id', 'name', 'kind', 'attention'] as const
type FlowChoice = ListChoice<(typeof flowSorts)[number]>

export function chosenFlows(flows: readonly Flow[], dead: FlowsView['dead'], choice: FlowChoice): Flow[] {
  const failed = ({ id }: Flow) => dead.get(id) ?? 0
  return chosenRows(flows, choice, ({ name, id, webhook }) => [name, id, webhook?.path ?? ''], {
    id: undefined,
    name: byName,
    kind: (one, other) => one.kind.localeCompare(other.kind),
    attention: (one, other) => failed(other) - failed(one),
  })
}

interface FlowsView extends BotPageView {
  rows: readonly Flow[]
  /** Dead letters of the last 24 hours by flow. Contains only flows that have any. */
  dead: ReadonlyMap<FlowId, number>
  pageNumber: number
  pages: number
  /** Number of flows on all pages that match the search. */
  found: number
  all: number
  choice: FlowChoice
  apiUrl: string
  mayManage: boolean
  filled: Partial<NewFlow>
}

export const newFlowForm = form(
  {
    name: textField({ label: t`Name`, autocomplete: 'off' }),
    path: textField({
      label: t`Path`,
      hint: t`The end of the webhook URL, such as orders. Letters, digits and - _ . / ~.`,
      autocomplete: 'off',
      code: true,
      trim: true,
    }),
  },
  { focusesError: true },
)

export type NewFlow = Filled<ReturnType<typeof newFlowForm.read>>

export function flowsPage(view: FlowsView): Html {
  const { bot, rows, pageNumber, pages, found, all, choice, mayManage, filled } = view
  const sorts = { id: 'ID', name: t`Name`, kind: t`Kind`, attention: t`Needs attention first` }
  const form = listForm({ action: `/bots/${bot.id}/flows`, label: t`Name, ID or path`, choice, sorts, found, all })
  return botPartPage(view, {
    part: 'flows',
    canonical: `/bots/${bot.id}/flows`,
    body: html`${errorNotices(filled.errors ?? [])}
${all === 0 ? noFlows(mayManage) : html`${form}${rows.length === 0 ? noneFound : listOf(view)}`}
${pagination(`/bots/${bot.id}/flows`, choice, pageNumber, pages)}
${mayManage && newFlowSection(view)}`,
  })
}

function listOf({ bot, rows, dead, apiUrl }: FlowsView): Html {
  return table({
    caption: t`Flows`,
    rows,
    oneLine: true,
    columns: [
      {
        title: t`Flow`,
        cell: ({ id, name, kind }) =>
          objectLink({
            name,
            href: `/bots/${bot.id}/flows/${id}`,
            after: html`<code class="soft small">${id}</code>${kind !== 'event' && tag(kind)}`,
          }),
      },
      {
        title: t`Webhook URL`,
        unlabelled: true,
        cell: ({ webhook }) =>
          webhook === null
            ? zeroAs(t`No webhooks`)
            : html`<code class="cut" title="${webhookAddress(apiUrl, bot.id, webhook.path)}">${webhookAddress(apiUrl, bot.id, webhook.path)}</code>`,
      },
      {
        title: t`Dead letters, 24 h`,
        number: true,
        cell: ({ id, webhook }) => {
          const count = dead.get(id) ?? 0
          if (count === 0) return webhook === null ? '' : zero
          return html`<a href="/bots/${bot.id}/deliveries?state=dead&flow=${id}">${countWords(count)}</a>`
        },
      },
      { title: t`Authentication`, cell: ({ webhook }) => (webhook === null ? '' : requiredAuthentication(webhook)) },
    ],
  })
}

/** Describes how senders have to authenticate: with a key, a signature, both, or neither. */
function requiredAuthentication({ requiresKey, signature }: FlowWebhook): Words {
  if (signature === null) return requiresKey ? t`Key` : t`None`
  return requiresKey ? t`Key and signature` : t`Signature`
}

export function webhookAddress(apiUrl: string, botId: string, path: string): string {
  return `${apiUrl}/${botId}/${path}`
}

function noFlows(mayManage: boolean): Html {
  const body = mayManage
    ? t`A flow defines what the bot does when something happens. Create one to receive webhooks.`
    : t`A flow defines what the bot does when something happens. You create flows on the platform. A flow of kind ${code('event')} that listens for webhooks gets a webhook URL here.`
  return emptyState({ title: t`No flows yet`, body: html`<p>${body}</p>` })
}

function newFlowSection({ bot, filled }: FlowsView): Html {
  const { values = { name: '', path: '' }, errors = [] } = filled
  return section({
    id: 'new',
    title: t`New flow`,
    about: html`<p>${t`The flow starts when a webhook arrives. After you create it, you get a key for senders.`}</p>`,
    body: postForm(
      { action: `/bots/${bot.id}/flows`, style: 'card', novalidate: true },
      Object.values(newFlowForm.fields({ values, errors })),
      buttonRow(button({ label: t`Create flow`, tone: 'primary' })),
    ),
  })
}
