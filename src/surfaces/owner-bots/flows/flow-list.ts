import type { FastifyInstance, FastifyReply } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { type FlowId, newId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { deadLettersBy } from '../../../domain/webhooks/event-log.ts'
import {
  button,
  buttonRow,
  code,
  emptyState,
  objectLink,
  postForm,
  section,
  table,
  tag,
  zero,
  zeroAs,
} from '../../../pages/components/elements.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { byName, listed, noneFound } from '../../../pages/components/list.ts'
import { errorNotices, type Filled, form, textField } from '../../../pages/form.ts'
import { formPost, question, showPage } from '../../../pages/form-routes.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, onBot, pageAt, sendNotFound } from '../bot-pages.ts'
import { botDone, botErrors, cannotBeUndone } from '../words.ts'
import { flowFrame, onFlow, sendFlow } from './routes.ts'
import { webhookAddress } from './samples.ts'

const newFlowForm = form(
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

type NewFlow = Filled<ReturnType<typeof newFlowForm.read>>

async function sendFlows(visit: BotVisit, filled: Partial<NewFlow> = {}): Promise<FastifyReply> {
  return visit.send(flowsPage({ ...visit, ...(await loadFlows(visit)), filled }), filled.status)
}

async function loadFlows(visit: BotVisit) {
  const { eventAccess, bots } = visit.services
  const { flows } = bots
  const all = await flows.list(visit.bot.id)
  const dead = deadLettersBy('flowId', await eventAccess.deadLetters([visit.bot.id]))
  const failed = ({ id }: Flow) => dead.get(id) ?? 0
  const list = listed(all, visit.request, {
    action: `/bots/${visit.bot.id}/flows`,
    label: t`Name, ID or path`,
    perPage: limits.flowsPerPage,
    textsOf: ({ name, id, webhook }) => [name, id, webhook?.path ?? ''],
    sorts: {
      id: ['ID'],
      name: [t`Name`, byName],
      kind: [t`Kind`, (one, other) => one.kind.localeCompare(other.kind)],
      attention: [t`Needs attention first`, (one, other) => failed(other) - failed(one)],
    },
  })
  const mayManage = flows.ownersManage && mayDo(visit, 'manage-flows')
  return { ...list, all: all.length, dead, mayManage }
}

type FlowsView = BotVisit & Awaited<ReturnType<typeof loadFlows>> & { filled: Partial<NewFlow> }

function flowsPage(view: FlowsView): Html {
  const { bot, rows, form, pager, all, mayManage, filled } = view
  return botPartPage(view, {
    part: 'flows',
    canonical: `/bots/${bot.id}/flows`,
    body: html`${errorNotices(filled.errors ?? [])}
${all === 0 ? noFlows(mayManage) : html`${form}${rows.length === 0 ? noneFound : listOf(view)}`}
${pager}
${mayManage && newFlowSection(view)}`,
  })
}

function listOf({ bot, rows, dead, services: { apiUrl } }: FlowsView): Html {
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

function requiredAuthentication({ requiresKey, signature }: FlowWebhook): Words {
  if (signature === null) return requiresKey ? t`Key` : t`None`
  return requiresKey ? t`Key and signature` : t`Signature`
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

export function flowListRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { flows } = services.bots
  showPage(app, '/bots/:botId/flows', onBot(services, 'see'), sendFlows)
  if (!flows.ownersManage) return
  const page = pageAt('/bots/:botId/flows')

  formPost(app, '/bots/:botId/flows', onBot(services, { action: 'manage-flows', page }), {
    form: newFlowForm,
    errors: botErrors,
    show: sendFlows,
    async post(visit, { name, path }) {
      const { bot, by, request } = visit
      const { flow, clearTextKey } = await flows.putAsOwner(bot.id, newId<FlowId>(), { name, webhook: { path } }, by)
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow created')
      return sendFlow({ ...visit, flow }, { clearTextKey })
    },
  })

  question(app, '/bots/:botId/flows/:flowId/removal', onFlow(services, 'manage-flows'), {
    frame: flowFrame,
    asks: ({ flow }) => ({
      title: t`Remove ${flow.name}?`,
      effect: [
        t`Webhooks to this flow are then rejected with 404. Webhooks already accepted are still delivered.`,
        cannotBeUndone,
      ],
      submit: t`Remove flow`,
    }),
    async post(visit) {
      const { bot, by, flow, request, redirect } = visit
      if (!(await flows.removeAsOwner(bot.id, flow.id, by))) return sendNotFound(visit)
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow removed')
      return redirect(`/bots/${bot.id}/flows`, botDone.flowRemoved)
    },
  })
}
