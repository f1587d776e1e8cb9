import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Mount } from '../../http/new-app.ts'
import { done } from '../../pages/flash.ts'
import type { FormError } from '../../pages/form.ts'
import { formPost } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'
import { subscriptionForms } from './forms.ts'
import { listAddress, listPage } from './list-page.ts'
import {
  onSubscription,
  type SubscriptionPageServices,
  type SubscriptionVisit,
  sendSubscription,
  subscriptionErrors,
} from './on-subscription.ts'
import { eventPage } from './subscription-page.ts'

export function subscriptionsSurface(services: SubscriptionPageServices): Mount {
  const { events, guard, clock, portalUrl } = services
  return (app) => {
    app.get(
      listAddress,
      guard.signedIn(async (visit) => {
        const subscriptions = await events.subscriptions.listOwned(visit.by.userId)
        return visit.send(listPage(visit, subscriptions, { nowMs: clock.nowMs(), portalUrl }))
      }),
    )
    app.get(
      `${listAddress}/:id`,
      onSubscription(services)((visit) => sendSubscription(services, visit)),
    )
    subscriptionForms(app, services)
    eventRoutes(app, services)
  }
}

const tested = done(t`Test event queued. The log shows the response.`)
const replayed = done(t`Event replayed.`)

function eventRoutes(app: FastifyInstance, services: SubscriptionPageServices): void {
  const { subscriptions, log } = services.events

  formPost(
    app,
    `${listAddress}/:id/test`,
    onSubscription(services, { page: ({ url }) => url.replace(/\/test$/, '') }),
    {
      errors: subscriptionErrors,
      show: (visit, rejected) => sendSubscription(services, visit, rejected),
      async post({ by, subscription, redirect, address }) {
        await subscriptions.test(by, subscription.id)
        return redirect(address, tested)
      },
    },
  )

  app.get(
    `${listAddress}/:id/events/:event`,
    onSubscription(services)((visit) => sendEvent(services, visit)),
  )

  formPost(
    app,
    `${listAddress}/:id/events/:event/replay`,
    onSubscription(services, { page: ({ url }) => url.replace(/\/replay$/, '') }),
    {
      errors: subscriptionErrors,
      show: (visit, rejected) => sendEvent(services, visit, rejected),
      async post(visit) {
        const replay = await log.replay(visit.by, visit.subscription.id, eventIn(visit))
        return visit.redirect(`${visit.address}/events/${replay}`, replayed)
      },
    },
  )
}

async function sendEvent(
  { events, clock }: SubscriptionPageServices,
  visit: SubscriptionVisit,
  { status, errors = [] }: { status?: number; errors?: readonly FormError[] } = {},
): Promise<FastifyReply> {
  const { by, person, send, subscription, done } = visit
  const event = await events.log.event(by, subscription.id, eventIn(visit))
  return send(eventPage({ person, subscription, event, nowMs: clock.nowMs(), done, errors }), status)
}

function eventIn({ request }: SubscriptionVisit): string {
  return (request.params as { event: string }).event
}
