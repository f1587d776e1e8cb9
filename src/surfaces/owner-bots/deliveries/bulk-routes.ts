import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DeadLetterCauses } from '../../../domain/webhooks/dead-letter-causes.ts'
import { type BulkOutcome, cursorAt } from '../../../domain/webhooks/event-changes.ts'
import { button, linkButton, notice, postForm } from '../../../pages/components/elements.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { formText, formTexts } from '../../../pages/form-posts.ts'
import { acceptPost, ask, showPage } from '../../../pages/form-routes.ts'
import { html, plural, t } from '../../../pages/html.ts'
import { botsPlace } from '../../../pages/places.ts'
import { type BotPageServices, type BotVisit, botTrail, onBot, pageAt, questionIn, sendNotFound } from '../bot-pages.ts'
import { cannotBeUndone } from '../words.ts'
import { causesOf } from './delivery-data.ts'
import { refusedWords } from './delivery-words.ts'
import { changedWords, readList, readPostedList, selectionDone, sendList, webhooksWords } from './list.ts'
import { causeWords } from './list-parts.ts'
import { filterOf, hasRange, type ListQuery, listField, queryText } from './list-query.ts'

export function deadLetterRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { eventAccess } = services

  for (const action of ['replay', 'discard'] as const) {
    showPage(app, `/bots/:botId/dead-letters/${action}`, onBot(services, 'replay'), async (visit) => {
      const query = await readList(visit)
      if (query === undefined) return sendNotFound(visit)
      const flow = query.flowId && (await services.bots.flows.find(visit.bot.id, query.flowId))
      return askBulk({ ...visit, action, query }, flow, await causesOf(visit, query))
    })

    const page = (request: FastifyRequest) => `${request.url}${formText(request, 'list')}`
    const onQuestion = onBot(services, { action: 'replay', page })
    acceptPost(app, `/bots/:botId/dead-letters/${action}`, onQuestion, async (visit) => {
      const { bot, by, request } = visit
      const query = await readPostedList(visit)
      if (query === undefined) return sendNotFound(visit)
      const from = formText(request, 'from') || undefined
      const filter = { ...filterOf(query, visit.nowMs), state: 'dead' } as const
      const change = action === 'replay' ? eventAccess.replayAll : eventAccess.discardAll
      const outcome = await change(by, bot.id, filter, from)
      const event = action === 'replay' ? 'dead letters replayed' : 'dead letters discarded'
      request.log.info({ bot: bot.id, user: by.userId, events: outcome.events }, event)
      return sendBulkDone({ ...visit, action, query, outcome })
    })
  }
}

type BulkView = BotVisit & { action: 'replay' | 'discard'; query: ListQuery }

function askBulk(view: BulkView, flow: Flow | undefined, { causes, more }: DeadLetterCauses): FastifyReply {
  const { bot, action, query } = view
  const count = causes.reduce((sum, { events, unreplayed }) => sum + (action === 'replay' ? unreplayed : events), 0)
  const number = html`${countWords(count)}${more && '+'}`
  const [cause] = query.cause === undefined ? [] : causes
  const whose = flow === undefined ? bot.name : flow.name
  const list = { name: t`Dead letters`, href: `/bots/${bot.id}/deliveries${queryText(query, { state: 'dead' })}` }
  if (count === 0 && !more) return view.reply.redirect(list.href)
  const atLeast = more ? limits.eventsCountedMax : count
  const title =
    action === 'replay'
      ? plural(atLeast, t`Replay ${number} dead letter for ${whose}?`, t`Replay ${number} dead letters for ${whose}?`)
      : plural(atLeast, t`Discard ${number} dead letter for ${whose}?`, t`Discard ${number} dead letters for ${whose}?`)
  return ask(view, questionIn([...botTrail(bot, 'deliveries'), list]), {
    title,
    effect: [
      cause && t`Only those with this cause: ${causeWords(cause)}`,
      hasRange(query) && t`Only those received in the time that you chose.`,
      ...(action === 'replay'
        ? [t`Each dead letter is queued as a new webhook, oldest first. Dead letters already replayed are skipped.`]
        : [
            t`These dead letters are deleted with their content, even those already replayed. You can no longer replay them.`,
            cannotBeUndone,
          ]),
    ],
    // Nothing is discarded that the count doesn’t include.
    fields: [listField(query), html`<input type="hidden" name="from" value="${cursorAt('', view.nowMs)}">`],
    submit: action === 'replay' ? t`Replay ${number}` : t`Discard ${number}`,
  })
}

const stoppedWords = {
  'queue-full': t`The bot’s queue is full, so not all dead letters were replayed. Continue when a runtime has processed some webhooks.`,
  'gateway-unavailable': t`The queue is unavailable right now, so some dead letters are left. Wait a moment, then continue.`,
}

function sendBulkDone(view: BulkView & { outcome: BulkOutcome }): FastifyReply {
  const { bot, action, query, outcome } = view
  const { events, next, stopped } = outcome
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const count = countWords(events)
  const did =
    action === 'replay'
      ? plural(events, t`${count} dead letter replayed.`, t`${count} dead letters replayed.`)
      : plural(events, t`${count} dead letter discarded.`, t`${count} dead letters discarded.`)
  return view.show({
    place: botsPlace,
    width: 'narrow',
    title: did,
    trail: botTrail(bot, 'deliveries'),
    canonical: back,
    body: html`<h1>${action === 'replay' ? t`Replayed` : t`Discarded`}</h1>
${notice({ tone: stopped === undefined ? 'good' : 'warn', body: html`<p>${did}</p>${stopped !== undefined && html`<p>${stoppedWords[stopped]}</p>`}` })}
${
  next === undefined
    ? linkButton({ label: t`View deliveries`, href: `/bots/${bot.id}/deliveries`, tone: 'plain' })
    : postForm(
        { action: `/bots/${bot.id}/dead-letters/${action}`, style: 'card' },
        html`<input type="hidden" name="from" value="${next}">${listField(query)}
<p>${t`There may be more dead letters.`}</p><div class="buttons">${button({ label: t.in('dead letters')`Continue`, tone: action === 'replay' ? 'primary' : 'dangerous' })}</div>`,
      )
}`,
  })
}

export function selectionRoutes(app: FastifyInstance, services: BotPageServices): void {
  const onList = onBot(services, { action: 'replay', page: pageAt('/bots/:botId/deliveries') })
  acceptPost(app, '/bots/:botId/deliveries/selection', onList, async (visit) => {
    const { bot, by, request, redirect } = visit
    const action = (['replay', 'discard'] as const).find((each) => each === formText(request, 'action'))
    const query = await readPostedList(visit)
    if (query === undefined || action === undefined) return sendNotFound(visit)
    const ids = [...new Set(formTexts(request, 'event'))]
    if (ids.some((id) => id.length > limits.eventIdMaxCharacters)) return sendNotFound(visit)
    if (ids.length === 0) return sendList(visit, query, { status: 422, fault: t`Select at least one webhook.` })
    if (ids.length > limits.eventsSelectedMax) {
      return sendList(visit, query, { status: 422, fault: t`Select fewer webhooks.` })
    }
    const back = `/bots/${bot.id}/deliveries${queryText(query, { before: query.before })}`
    if (action === 'discard' && formText(request, 'confirmed') !== 'yes') return askToDiscard(visit, ids, back)
    // The list has the newest webhooks first. Replays keep the order in which the webhooks arrived.
    const outcome = await services.eventAccess.selected[action](by, bot.id, ids.toReversed())
    const { stopped, ...counts } = outcome
    request.log.info({ bot: bot.id, user: by.userId, action, ...counts }, 'selected events changed')
    if (stopped !== undefined) {
      const fault = html`<p>${changedWords[action](outcome.done)} ${refusedWords[stopped]}</p>`
      return sendList(visit, query, { status: 503, fault })
    }
    return redirect(back, selectionDone[action](counts.done, counts.skipped))
  })
}

function askToDiscard(visit: BotVisit, ids: readonly string[], back: string): FastifyReply {
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`
  return ask(visit, questionIn(botTrail(visit.bot, 'deliveries', back)), {
    title: t`Discard ${webhooksWords(ids.length)}?`,
    effect: [
      t`Selected webhooks that are waiting or dead letters are deleted with their content. Other webhooks don’t change.`,
      cannotBeUndone,
    ],
    fields: [
      hidden('list', back.includes('?') ? back.slice(back.indexOf('?')) : ''),
      hidden('action', 'discard'),
      hidden('confirmed', 'yes'),
      ...ids.map((id) => hidden('event', id)),
    ],
    submit: t`Discard selected`,
  })
}
