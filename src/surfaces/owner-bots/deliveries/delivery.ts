import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import { EventRefusal } from '../../../domain/webhooks/event-changes.ts'
import type { Attempt } from '../../../domain/webhooks/event-log.ts'
import { button, notice, postForm, section } from '../../../pages/components/elements.ts'
import { exactTime, timeUntil } from '../../../pages/components/figures.ts'
import { type IconName, icon } from '../../../pages/components/pictures.ts'
import { copyField } from '../../../pages/components/secrets.ts'
import { formPost, question, type Rejection, showPage } from '../../../pages/form-routes.ts'
import { cut, type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, botTrail, onBot, pageAt, questionIn } from '../bot-pages.ts'
import { logOf } from '../logs.ts'
import { botDone, cannotBeUndone } from '../words.ts'
import { type DeliveryData, loadDelivery } from './delivery-data.ts'
import { attemptErrorWords, eventDetail, eventState, eventWords, refusedWords, tookWords } from './delivery-words.ts'
import { readList } from './list.ts'
import { causeWords, liveStatus } from './list-parts.ts'
import { filterOf, noFilter, queryText } from './list-query.ts'
import { requestSection } from './request-section.ts'

type DeliveryView = BotVisit & Awaited<ReturnType<typeof loadPage>> & { fault: Text | undefined }

function deliveryPage(view: DeliveryView): Html {
  const { bot, event, fault } = view
  const address = `/bots/${bot.id}/deliveries`
  const parts = deliveryParts(view)
  return botPartPage(view, {
    part: 'deliveries',
    inside: {
      name: nameOf(event),
      list: `${address}${queryText(view.query)}`,
      head: html`<div data-live="actions">${parts.actions}</div>`,
    },
    beside: neighbourLinks(view),
    styles: ['deliveries.css'],
    modules: ['live.js'],
    canonical: `${address}/${event.id}${queryText(view.query)}`,
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
<div class="columns spread"><section class="card compact" id="attempts" aria-labelledby="attempts-title"><div class="name"><h2 id="attempts-title">${t`Attempts`}</h2><span class="soft small">${liveStatus(`${address}/${event.id}/live`)}</span></div><div data-live="timeline">${parts.timeline}</div></section>
<section class="card compact" data-live="log">${parts.log}</section></div>
${requestSection(view)}
${eventSection(view)}`,
  })
}

/** Leaves out what PostgreSQL appends to the ID, which is the same for all events of the bot. */
function nameOf({ id }: Pick<DeliveryData['event'], 'id'>): Words {
  return t`Webhook ${id.split('-', 1)[0]}`
}

function neighbourLinks({ bot, query, neighbours: { newer, older } }: DeliveryView): Html | false {
  if (newer === undefined && older === undefined) return false
  const address = `/bots/${bot.id}/deliveries`
  const to = (id: string | undefined, label: Words) =>
    id !== undefined && html`<a href="${address}/${id}${queryText(query)}">${label}</a>`
  return html`<span class="beside">${to(newer, t`Newer`)}${to(older, t`Older`)}</span>`
}

function eventSection({ bot, event, flow }: DeliveryView): Html {
  const { id, flowId, acceptedAtMs, finishedAtMs, replayOf, replayedAs, test } = event
  const address = `/bots/${bot.id}/deliveries`
  return section({
    id: 'event',
    title: t`Event`,
    about: html`<p>${t`The event ID is the same for all attempts, so a flow can recognize duplicates.`}</p>`,
    body: html`<div class="card">${copyField({ label: t`Event ID`, text: id })}
${test && notice({ tone: 'neutral', body: t`A test webhook. It was sent from the flow’s page, without its key or signature.` })}
<dl><dt>${t`Received`}</dt><dd>${exactTime(acceptedAtMs)}</dd>
${finishedAtMs !== undefined && html`<dt>${t`Finished`}</dt><dd>${exactTime(finishedAtMs)}</dd><dt>${t`Total time`}</dt><dd>${tookWords(finishedAtMs - acceptedAtMs)}</dd>`}
<dt>${t`Flow`}</dt><dd>${flow === undefined ? t.html`<code>${flowId}</code>, which no longer exists` : html`<a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>`}</dd>
${replayOf !== undefined && html`<dt>${t`Replay of`}</dt><dd><a href="${address}/${replayOf}"><code>${replayOf}</code></a></dd>`}
${replayedAs !== undefined && html`<dt>${t`Replayed as`}</dt><dd><a href="${address}/${replayedAs}"><code>${replayedAs}</code></a></dd>`}
</dl></div>`,
  })
}

export function deliveryParts(view: BotVisit & DeliveryData): Record<'actions' | 'timeline' | 'log', Html> {
  return { actions: actionsOf(view), timeline: timeline(view), log: attemptLog(view) }
}

/** Renders what the bot's runtime logged during the last attempt. Empty if there was none, or the user may not read it. */
function attemptLog({ bot, log }: BotVisit & DeliveryData): Html {
  if (log === undefined) return html``
  const { attempt, entries } = log
  return html`<div class="head-row"><h2>${t`Log during attempt ${attempt}`}</h2><a class="small" href="/bots/${bot.id}/logs">${t`All logs`}</a></div>
${entries.length === 0 ? html`<p class="soft">${t`The bot’s runtime logged nothing.`}</p>` : logOf(entries)}`
}

function actionsOf({ bot, event, mayReplay, nowMs }: BotVisit & DeliveryData): Html {
  const { state: is, lastError: error, deadBecause: because } = event
  const cause = is === 'dead' ? causeWords({ error, because }) : eventDetail(event, nowMs)
  const shown = mayReplay && event.state !== 'leased' && choices(`/bots/${bot.id}/deliveries/${event.id}`, event)
  return html`${eventState(event)}<span class="cause" dir="auto">${cause}</span>${shown && html`<div class="buttons pager">${shown.buttons}</div><p class="means soft small">${shown.means}</p>`}`
}

const replayMeans = t`A replay is a new webhook with the same content. This one doesn’t change.`

function choices(address: string, { state: is, behind }: DeliveryData['event']): { buttons: Html; means: Words } {
  const post = (action: 'replay' | 'try-now', label: Words) =>
    postForm({ action: `${address}/${action}` }, button({ label, tone: 'plain' }))
  const discard = html`<form method="get" action="${address}/discard">${button({ label: t`Discard`, tone: 'dangerous' })}</form>`
  if (is === 'done') return { buttons: post('replay', t`Replay`), means: replayMeans }
  if (is === 'dead') return { buttons: html`${post('replay', t`Replay`)}${discard}`, means: replayMeans }
  if (behind !== undefined) return { buttons: discard, means: t`A discarded webhook is never delivered.` }
  return {
    buttons: html`${post('try-now', t`Try now`)}${discard}`,
    means: t`“Try now” skips the wait for the next attempt. A discarded webhook is never delivered.`,
  }
}

type Mark = 'good' | 'bad' | 'neutral'

const markIcons: Record<Mark, IconName> = { good: 'check', bad: 'cross', neutral: 'dash' }
const outcomes: Record<Attempt['outcome'], { mark: Mark; word: Words }> = {
  acknowledged: { mark: 'good', word: t`Delivered` },
  failed: { mark: 'bad', word: t`Failed` },
  'under-way': { mark: 'neutral', word: t`Processing` },
}

function timeline({ event, bot, nowMs }: BotVisit & DeliveryData): Html {
  const attempts = event.history.map(({ attempt, beganAtMs, endedAtMs, outcome, error }) =>
    entry(
      outcomes[outcome].mark,
      html`<strong>${t`${t`Attempt ${attempt}`}: ${outcomes[outcome].word}`}</strong> ${exactTime(beganAtMs)}${endedAtMs !== undefined && html` <span class="soft small">${t`took ${tookWords(endedAtMs - beganAtMs)}`}</span>`}`,
      error !== undefined && html`<pre>${attemptErrorWords(error) ?? cut(error, 1_000)}</pre>`,
    ),
  )
  const received = entry('neutral', html`<strong>${t`Received`}</strong> ${exactTime(event.acceptedAtMs)}`)
  return html`<ol class="timeline" aria-label="${t`Attempts`}">${received}${attempts}${whatFollows({ event, bot, nowMs })}</ol>`
}

function entry(mark: Mark, what: Html, more: Html | false = false): Html {
  return html`<li class="${mark}">${icon(markIcons[mark])}<div class="what">${what}</div>${more}</li>`
}

function whatFollows({ event, bot, nowMs }: Pick<BotVisit & DeliveryData, 'event' | 'bot' | 'nowMs'>): Html | false {
  const { state: is, dueAtMs, finishedAtMs, deadBecause, behind } = event
  if (is === 'dead') {
    const at = finishedAtMs !== undefined && exactTime(finishedAtMs)
    const why = deadBecause !== undefined && html`<p>${eventWords.dead[deadBecause]}</p>`
    return entry('bad', html`<strong>${eventWords.states.dead}</strong> ${at}`, why)
  }
  if (is !== 'ready') return false
  if (behind === undefined && dueAtMs !== undefined && dueAtMs > nowMs) {
    const when = html`${timeUntil(dueAtMs, nowMs)} <span class="soft small">(${exactTime(dueAtMs)})</span>`
    return entry('neutral', html`<strong>${t`Next attempt`}</strong> ${when}`)
  }
  const head = behind && { event: behind, address: `/bots/${bot.id}/deliveries/${behind.id}` }
  const waits: Text = eventDetail(event, nowMs, head)
  return entry('neutral', html`<p>${waits}</p>`)
}

export function deliveryRoutes(app: FastifyInstance, services: BotPageServices): void {
  const onBody = onBot(services, 'read-bodies')
  const { eventAccess } = services

  showPage(app, '/bots/:botId/deliveries/:eventId', onBody, sendEvent)

  // Sent as a download, so that browsers neither render it nor run its scripts.
  showPage(app, '/bots/:botId/deliveries/:eventId/body', onBody, async (visit) => {
    const eventId = eventIdIn(visit)
    const { body } = await eventAccess.whole(visit.by.userId, visit.bot.id, eventId)
    return visit.reply
      .headers({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${eventId}.bin"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'no-store',
      })
      .send(body)
  })

  const onEvent = onBot(services, { action: 'replay', page: pageAt('/bots/:botId/deliveries/:eventId') })
  const refused = { errors: eventErrors, show: sendEvent }

  formPost(app, '/bots/:botId/deliveries/:eventId/replay', onEvent, {
    ...refused,
    async post(visit) {
      const { bot, by, request, redirect } = visit
      const eventId = eventIdIn(visit)
      const id = await eventAccess.replay(by, bot.id, eventId)
      request.log.info({ bot: bot.id, user: by.userId, event: eventId, replay: id }, 'event replayed')
      const to = mayDo(visit, 'read-bodies') ? `/${id}` : ''
      return redirect(`/bots/${bot.id}/deliveries${to}`, botDone.replayed)
    },
  })

  formPost(app, '/bots/:botId/deliveries/:eventId/try-now', onEvent, {
    ...refused,
    async post(visit) {
      const { bot, by, request, reply, redirect } = visit
      const eventId = eventIdIn(visit)
      const address = `/bots/${bot.id}/deliveries/${eventId}`
      const outcome = await eventAccess.tryNow(by, bot.id, eventId)
      request.log.info({ bot: bot.id, user: by.userId, event: eventId, outcome }, 'event made due')
      // Otherwise, a runtime is already processing the event, which the page shows.
      return outcome === 'due' ? redirect(address, botDone.triedNow) : reply.redirect(address, 303)
    },
  })

  question(app, '/bots/:botId/deliveries/:eventId/discard', onBot(services, 'replay'), {
    frame(visit) {
      const id = eventIdIn(visit)
      const event = { name: nameOf({ id }), href: `/bots/${visit.bot.id}/deliveries/${id}` }
      return questionIn([...botTrail(visit.bot, 'deliveries'), event])
    },
    async asks(visit) {
      const { event, flow } = await loadDelivery(visit)
      if (event.state === 'leased') return sendEvent(visit, rejectionBy('in-process'))
      if (event.state === 'done') return sendEvent(visit, rejectionBy('finished'))
      const waits = event.state === 'ready'
      return {
        title: waits ? t`Discard this waiting webhook?` : t`Discard this dead letter?`,
        effect: [
          waits
            ? t`The webhook is deleted with its content and never delivered.`
            : t`The dead letter is deleted with its content and can no longer be replayed.`,
          waits && flow?.webhook?.ordered && t`Later webhooks are still delivered.`,
          cannotBeUndone,
        ],
        submit: t`Discard`,
        cancel: t`Keep webhook`,
      }
    },
    ...refused,
    async post(visit) {
      const { bot, by, request, redirect } = visit
      const was = await eventAccess.discard(by, bot.id, eventIdIn(visit))
      request.log.info({ bot: bot.id, user: by.userId, event: eventIdIn(visit), was }, 'event discarded')
      return redirect(`/bots/${bot.id}/deliveries?state=${was}`, botDone.discarded)
    },
  })
}

function rejectionBy(reason: keyof typeof refusedWords): Rejection {
  const status = reason === 'queue-full' || reason === 'gateway-unavailable' ? 503 : 422
  return { status, errors: [{ message: refusedWords[reason] }] }
}

function eventErrors(error: unknown, { request }: BotVisit): Rejection {
  if (!(error instanceof EventRefusal)) throw error
  request.log.info({ reason: error.reason, detail: error.detail }, 'event action refused')
  if (error.reason === 'event-unknown') throw error
  return rejectionBy(error.reason)
}

async function sendEvent(visit: BotVisit, refused?: Rejection): Promise<FastifyReply> {
  const data = await loadPage(visit)
  return visit.send(deliveryPage({ ...visit, ...data, fault: refused?.errors[0]?.message }), refused?.status)
}

/** Loads a webhook, and its neighbours in the list from which the user came. */
async function loadPage(visit: BotVisit) {
  const { services, bot, by, nowMs } = visit
  const query = (await readList(visit)) ?? noFilter
  const [delivery, neighbours] = await Promise.all([
    loadDelivery(visit),
    services.eventAccess.neighbours(by.userId, bot.id, filterOf(query, nowMs), eventIdIn(visit)),
  ])
  return { ...delivery, query, neighbours }
}

function eventIdIn({ request }: { request: FastifyRequest }): string {
  return (request.params as { eventId: string }).eventId
}
