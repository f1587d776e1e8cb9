import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { BulkOutcome } from '../../../domain/webhooks/event-changes.ts'
import { button, linkButton, postForm } from '../../../pages/components/button.ts'
import { notice } from '../../../pages/components/notice.ts'

import { formText } from '../../../pages/form-posts.ts'
import { ask } from '../../../pages/form-routes.ts'
import { type Html, html, plural, t, type Words } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { type BotPageView, botsFrame, botTrail, questionIn } from '../bot-frame.ts'
import { type BotVisit, onBot, sendNotFound } from '../on-bot.ts'
import { botFrameWords } from '../words.ts'
import type { DeliveryServices } from './delivery-data.ts'
import { flowInFilter } from './list-routes.ts'

/** Registers `/bots/{botId}/dead-letters`: replaying and discarding all dead letters. */
export function deadLetterRoutes(app: FastifyInstance, services: DeliveryServices): void {
  const { eventAccess } = services

  for (const action of ['replay', 'discard'] as const) {
    app.get(
      `/bots/:botId/dead-letters/${action}`,
      onBot(services, 'replay', async (visit) => {
        const query = visit.request.query as Record<string, unknown>
        const flow = await flowInFilter(services, visit, query.flow)
        if (flow === 'unknown') return sendNotFound(visit)
        return askBulk(visit, { action, flow })
      }),
    )

    app.post(
      `/bots/:botId/dead-letters/${action}`,
      onBot(services, { action: 'replay', page: pageOfBulk }, async (visit) => {
        const { bot, by, request, send } = visit
        const flow = await flowInFilter(services, visit, formText(request, 'flow'))
        if (flow === 'unknown') return sendNotFound(visit)
        const from = formText(request, 'from') || undefined
        const flowId = flow?.id
        const outcome: BulkOutcome =
          action === 'replay'
            ? await eventAccess.replayAll(by, bot.id, { state: 'dead', flowId }, from)
            : await eventAccess.discardAll(by, bot.id, { flowId }, from)
        const event = action === 'replay' ? 'dead letters replayed' : 'dead letters discarded'
        request.log.info({ bot: bot.id, user: by.userId, events: outcome.events }, event)
        return send(bulkDonePage({ ...visit, action, flow, outcome }))
      }),
    )
  }
}

/** Returns the confirmation page's URL, with the flow from the posted form. */
function pageOfBulk(request: FastifyRequest): string {
  const flow = formText(request, 'flow')
  return flow === '' ? request.url : `${request.url}?flow=${encodeURIComponent(flow)}`
}

interface BulkView extends BotPageView {
  action: 'replay' | 'discard'
  /** The flow whose dead letters are replayed or discarded. `undefined` means all flows. */
  flow: Flow | undefined
}

function askBulk(visit: BotVisit, { action, flow }: Pick<BulkView, 'action' | 'flow'>): FastifyReply {
  const { bot } = visit
  const whose = flow === undefined ? bot.name : flow.name
  const list = { name: t`Dead letters`, href: `/bots/${bot.id}/deliveries?state=dead` }
  return ask(visit, questionIn([...botTrail(bot, 'deliveries'), list]), {
    title: action === 'replay' ? t`Replay all dead letters for ${whose}?` : t`Discard all dead letters for ${whose}?`,
    effect:
      action === 'replay'
        ? [t`Each dead letter is queued as a new webhook, oldest first. Dead letters already replayed are skipped.`]
        : [
            t`These dead letters are deleted with their content, even those already replayed. You can no longer replay them.`,
            botFrameWords.cannotBeUndone,
          ],
    fields: [flow !== undefined && html`<input type="hidden" name="flow" value="${flow.id}">`],
    submit: action === 'replay' ? t`Replay all` : t`Discard all`,
  })
}

/** Text for discarding and replaying dead letters. */
const words = {
  done: (action: 'replay' | 'discard', events: number): Words => {
    const count = countWords(events)
    return action === 'replay'
      ? plural(events, t`${count} dead letter replayed.`, t`${count} dead letters replayed.`)
      : plural(events, t`${count} dead letter discarded.`, t`${count} dead letters discarded.`)
  },
  stopped: {
    'queue-full': t`The bot’s queue is full, so not all dead letters were replayed. Continue when a runtime has processed some webhooks.`,
    'gateway-unavailable': t`The gateway can’t store webhooks right now, so not all dead letters were replayed. Wait a moment, then continue.`,
  },
}

function bulkDonePage({ bot, person, action, flow, outcome }: BulkView & { outcome: BulkOutcome }): Html {
  const { events, next, stopped } = outcome
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const did = words.done(action, events)
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: did,
    trail: botTrail(bot, 'deliveries'),
    canonical: back,
    body: html`<h1>${action === 'replay' ? t`Replayed` : t`Discarded`}</h1>
${notice({ tone: stopped === undefined ? 'good' : 'warn', body: html`<p>${did}</p>${stopped !== undefined && html`<p>${words.stopped[stopped]}</p>`}` })}
${
  next === undefined
    ? linkButton({ label: t`View deliveries`, href: `/bots/${bot.id}/deliveries`, tone: 'plain' })
    : postForm(
        { action: `/bots/${bot.id}/dead-letters/${action}`, style: 'card' },
        html`<input type="hidden" name="from" value="${next}">${flow !== undefined && html`<input type="hidden" name="flow" value="${flow.id}">`}
<p>${t`There may be more dead letters.`}</p><div class="buttons">${button({ label: t.in('dead letters')`Continue`, tone: action === 'replay' ? 'primary' : 'dangerous' })}</div>`,
      )
}`,
  })
}
