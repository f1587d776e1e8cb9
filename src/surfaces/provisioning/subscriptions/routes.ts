import { parseSubscriptionId, parseUserId } from '../../../domain/ids.ts'
import { pageOf } from '../../../domain/list-page.ts'
import type { OutgoingEvents } from '../../../domain/subscriptions/outgoing-events.ts'
import type { Subscription } from '../../../domain/subscriptions/subscription-store.ts'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'
import { eventStateOf, shownAttempt, stateNames } from '../../../rest/deliveries.ts'
import { listResponse, nameCursors, pageRequest } from '../../../rest/lists.ts'
import { accepted, created, ok, type Route, removed, route } from '../../../rest/operation.ts'
import { readQuery, subscriptionIdIn } from '../../../rest/parameters.ts'
import { iso, isoOrNull } from '../../../rest/schemas.ts'
import {
  deleteSubscription,
  getSubscription,
  getSubscriptionDelivery,
  listSubscriptionDeliveries,
  listSubscriptions,
  postSubscriptionReplay,
  postSubscriptionSecret,
  postSubscriptionTest,
  putSubscription,
} from './contract.ts'

export function subscriptionRoutes({ events }: { events: Pick<OutgoingEvents, 'subscriptions' | 'log'> }): Route[] {
  const { subscriptions, log } = events
  return [
    route(putSubscription, async ({ parameters, body: { ownerId, ...form } }) => {
      const owner = ownerId === undefined || ownerId === null ? ownerId : parseUserId(ownerId)
      const put = await subscriptions.put(subscriptionIdIn(parameters), owner, form)
      if (!('clearTextSecret' in put)) return ok(record(put.subscription))
      return created({ ...record(put.subscription), secret: put.clearTextSecret })
    }),
    route(listSubscriptions, async ({ query }) => {
      const { limit, after } = readQuery(listSubscriptions.query, query)
      const page = await pageOf(pageRequest({ limit, after }, nameCursors), {
        read: (request) => subscriptions.list(parseSubscriptionId(request.after ?? ''), request.most),
        placeOf: ({ id }): string => id,
      })
      return ok(listResponse(page, nameCursors, record))
    }),
    route(getSubscription, async ({ parameters }) =>
      ok(record(await subscriptions.find('operator', subscriptionIdIn(parameters)))),
    ),
    route(deleteSubscription, async ({ parameters }) => {
      await subscriptions.remove('operator', subscriptionIdIn(parameters))
      return removed
    }),
    route(postSubscriptionSecret, async ({ parameters }) => {
      const rotated = await subscriptions.rotateSecret('operator', subscriptionIdIn(parameters))
      return created({ ...record(rotated.subscription), secret: rotated.clearTextSecret })
    }),
    route(postSubscriptionTest, async ({ parameters }) => {
      await subscriptions.test('operator', subscriptionIdIn(parameters))
      return { status: 202 } as const
    }),
    route(listSubscriptionDeliveries, async ({ parameters, query }) => {
      const { limit, after, state, type } = readQuery(listSubscriptionDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const filter = { state: state && eventStateOf[state], type }
      const at = { before: request.after, most: request.most }
      const { events: items, next } = await log.page('operator', subscriptionIdIn(parameters), filter, at)
      const shown = (event: EventSummary) => ({ ...summary(event), attempts: event.attempts })
      return ok(listResponse({ items, next }, nameCursors, shown))
    }),
    route(getSubscriptionDelivery, async ({ parameters }) => {
      const event = await log.event('operator', subscriptionIdIn(parameters), parameters.eventId ?? '')
      return ok({
        ...summary(event),
        attempts: event.history.map(shownAttempt),
        body: Buffer.from(event.body).toString('utf8'),
      })
    }),
    route(postSubscriptionReplay, async ({ parameters }) => {
      const id = await log.replay('operator', subscriptionIdIn(parameters), parameters.eventId ?? '')
      return accepted({ id })
    }),
  ]
}

function record({ createdAtMs, previousSecretEndsAtMs, types, disabledBecause, ...others }: Subscription) {
  return {
    ...others,
    types: [...types],
    enabled: disabledBecause === null,
    disabledBecause,
    previousSecretEndsAt: isoOrNull(previousSecretEndsAtMs),
    createdAt: iso(createdAtMs),
  }
}

function summary(event: EventSummary) {
  const { id, flowId, path, state, acceptedAtMs, lastError, dueAtMs, replayOf } = event
  return {
    id,
    type: flowId as string,
    webhookId: path,
    state: stateNames[state],
    acceptedAt: iso(acceptedAtMs),
    lastError: lastError ?? null,
    nextAttemptAt: isoOrNull(dueAtMs),
    replayOf: replayOf ?? null,
  }
}
