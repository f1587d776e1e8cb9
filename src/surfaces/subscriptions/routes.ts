import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseSubscriptionId, type SubscriptionId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { eventTypes } from '../../domain/subscriptions/outgoing-event.ts'
import type { OutgoingEvents } from '../../domain/subscriptions/outgoing-events.ts'
import {
  type SubscriptionActor,
  type SubscriptionForm,
  SubscriptionRefusal,
} from '../../domain/subscriptions/subscriptions.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { linkButton } from '../../pages/components/button.ts'
import { errorPage } from '../../pages/error-page.ts'
import type { Flash } from '../../pages/flash.ts'
import { formText, formTexts } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, SignedInOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { emailUnconfirmed, errorWords, type FormError } from './error-words.ts'
import { formPage, removalPage, rotateSecretPage } from './views/form-pages.ts'
import { frameOf, listAddress, listPage } from './views/list-page.ts'
import { eventPage, subscriptionPage } from './views/subscription-page.ts'
import { unknownWords } from './words.ts'

interface SubscriptionPageServices {
  accounts: Pick<Accounts, 'users'>
  events: Pick<OutgoingEvents, 'subscriptions' | 'log'>
  guard: PageGuard
  flash: Flash
  clock: Clock
  portalUrl: string
}

/** A signed-in user's request for the subscription in the URL. The subscription may not exist. */
interface Visit extends SignedInRequest {
  by: Exclude<SubscriptionActor, 'operator'>
  id: SubscriptionId
  address: string
}

/** Registers `/account/subscriptions`: the signed-in user's subscriptions to events. */
export function subscriptionsSurface(services: SubscriptionPageServices): Mount {
  return (app) => {
    listRoutes(app, services)
    subscriptionRoutes(app, services)
    eventRoutes(app, services)
  }
}

function listRoutes(app: FastifyInstance, services: SubscriptionPageServices): void {
  const { accounts, events, guard, flash, clock, portalUrl } = services
  app.get(
    listAddress,
    guard.signedIn(async ({ session, person, request, reply }) => {
      const subscriptions = await events.subscriptions.listOwned(session.userId)
      const view = { person, subscriptions, nowMs: clock.nowMs(), done: flash.take(request, reply), portalUrl }
      return sendPage(reply, listPage(view))
    }),
  )

  app.get(
    `${listAddress}/new`,
    guard.signedIn(async ({ session, person, reply }) => {
      const confirmFirst = await accounts.users.mustConfirmEmail(session.userId)
      const errors = confirmFirst ? [emailUnconfirmed] : []
      return sendPage(reply, formPage({ person, id: undefined, form: { url: '', types: [] }, errors }))
    }),
  )

  app.post(
    listAddress,
    guard.signedIn(
      async (visit) => {
        const { session, person, request, reply } = visit
        const form = formOf(visit)
        const by = { userId: session.userId, origin: browserInfo(request) }
        const made = await outcomeOf(() => events.subscriptions.create(by, session.userId, form))
        if ('errors' in made) {
          return sendPage(reply, formPage({ person, id: undefined, form, errors: made.errors }), { status: 422 })
        }
        const { subscription, clearTextSecret } = made.value
        request.log.info({ user: session.userId, subscription: subscription.id }, 'subscription created')
        const page = { events: [], next: undefined }
        const view = { person, subscription, page, isFirst: true, nowMs: clock.nowMs(), done: undefined, errors: [] }
        reply.header('location', `${listAddress}/${subscription.id}`)
        return sendPage(reply, subscriptionPage({ ...view, clearTextSecret }), { status: 201 })
      },
      { page: () => `${listAddress}/new` },
    ),
  )
}

function subscriptionRoutes(app: FastifyInstance, services: SubscriptionPageServices): void {
  const { events, flash, clock } = services
  const { subscriptions } = events

  app.get(
    `${listAddress}/:id`,
    onSubscription(services, (visit) => sendSubscription(services, visit)),
  )

  app.post(
    `${listAddress}/:id`,
    onSubscription(
      services,
      async (visit) => {
        const { by, id, person, request, reply, address } = visit
        const form = { ...formOf(visit), enabled: formText(request, 'enabled') === 'yes' }
        const changed = await outcomeOf(() => subscriptions.change(by, id, form))
        if ('errors' in changed) {
          return sendPage(reply, formPage({ person, id, form, errors: changed.errors }), { status: 422 })
        }
        request.log.info({ user: by.userId, subscription: id }, 'subscription changed')
        return flash.redirect(reply, address, 'changed')
      },
      { page: ({ url }) => `${url}/edit` },
    ),
  )

  app.get(
    `${listAddress}/:id/edit`,
    onSubscription(services, async ({ by, id, person, reply }) => {
      const { url, types, disabledBecause } = await subscriptions.find(by, id)
      const form = { url, types, enabled: disabledBecause === null }
      return sendPage(reply, formPage({ person, id, form, errors: [] }))
    }),
  )

  app.post(
    `${listAddress}/:id/test`,
    onSubscription(
      services,
      async (visit) => {
        const tested = await outcomeOf(() => subscriptions.test(visit.by, visit.id))
        if ('errors' in tested) return sendSubscription(services, visit, { status: 422, errors: tested.errors })
        return flash.redirect(visit.reply, visit.address, 'tested')
      },
      { page: ({ url }) => url.replace(/\/test$/, '') },
    ),
  )

  app.get(
    `${listAddress}/:id/secret`,
    onSubscription(services, async ({ by, id, person, reply }) => {
      const subscription = await subscriptions.find(by, id)
      return sendPage(reply, rotateSecretPage({ person, subscription, nowMs: clock.nowMs() }))
    }),
  )

  app.post(
    `${listAddress}/:id/secret`,
    onSubscription(services, async (visit) => {
      const { by, id, request } = visit
      const { clearTextSecret } = await subscriptions.rotateSecret(by, id)
      request.log.info({ user: by.userId, subscription: id }, 'signing secret rotated')
      return sendSubscription(services, visit, { clearTextSecret })
    }),
  )

  app.get(
    `${listAddress}/:id/removal`,
    onSubscription(services, async ({ by, id, person, reply }) =>
      sendPage(reply, removalPage({ person, subscription: await subscriptions.find(by, id) })),
    ),
  )

  app.post(
    `${listAddress}/:id/removal`,
    onSubscription(services, async ({ by, id, request, reply }) => {
      await subscriptions.remove(by, id)
      request.log.info({ user: by.userId, subscription: id }, 'subscription removed')
      return flash.redirect(reply, listAddress, 'removed')
    }),
  )
}

function eventRoutes(app: FastifyInstance, services: SubscriptionPageServices): void {
  const { events, flash } = services

  app.get(
    `${listAddress}/:id/events/:event`,
    onSubscription(services, (visit) => sendEvent(services, visit, [])),
  )

  app.post(
    `${listAddress}/:id/events/:event/replay`,
    onSubscription(
      services,
      async (visit) => {
        const replayed = await outcomeOf(() => events.log.replay(visit.by, visit.id, eventIn(visit)))
        if ('errors' in replayed) return sendEvent(services, visit, replayed.errors)
        return flash.redirect(visit.reply, `${visit.address}/events/${replayed.value}`, 'replayed')
      },
      { page: ({ url }) => url.replace(/\/replay$/, '') },
    ),
  )
}

async function sendSubscription(
  { events, flash, clock }: SubscriptionPageServices,
  { by, id, person, request, reply }: Visit,
  answer: { status?: number; errors?: readonly FormError[]; clearTextSecret?: string } = {},
): Promise<FastifyReply> {
  const { status = 200, errors = [], clearTextSecret } = answer
  const subscription = await events.subscriptions.find(by, id)
  const { before } = request.query as { before?: unknown }
  const at = { before: typeof before === 'string' ? before : undefined, most: limits.deliveriesPerPage }
  const page = await events.log.page(by, id, {}, at)
  const done = flash.take(request, reply)
  const view = { person, subscription, page, isFirst: at.before === undefined, nowMs: clock.nowMs(), done, errors }
  return sendPage(reply, subscriptionPage({ ...view, clearTextSecret }), { status })
}

async function sendEvent(
  { events, flash, clock }: SubscriptionPageServices,
  visit: Visit,
  errors: readonly FormError[],
): Promise<FastifyReply> {
  const { by, id, person, request, reply } = visit
  const subscription = await events.subscriptions.find(by, id)
  const event = await events.log.event(by, id, eventIn(visit))
  const view = { person, subscription, event, nowMs: clock.nowMs(), done: flash.take(request, reply), errors }
  return sendPage(reply, eventPage(view), { status: errors.length === 0 ? 200 : 422 })
}

/** Returns a handler for signed-in users. Shows a 404 page if the user has no such subscription or event. */
function onSubscription(
  { guard }: SubscriptionPageServices,
  work: (visit: Visit) => Promise<FastifyReply>,
  options: SignedInOptions = {},
) {
  return guard.signedIn(async (visit) => {
    const { request, reply, person, session } = visit
    const id = parseSubscriptionId((request.params as { id: string }).id)
    if (id === undefined) return sendUnknown(visit)
    const by = { userId: session.userId, origin: browserInfo(request) }
    try {
      return await work({ ...visit, request, reply, person, by, id, address: `${listAddress}/${id}` })
    } catch (error) {
      if (error instanceof SubscriptionRefusal && errorWords[error.reason] === 'unknown') return sendUnknown(visit)
      throw error
    }
  }, options)
}

function sendUnknown({ person, reply }: SignedInRequest): FastifyReply {
  const ways = [linkButton({ label: unknownWords.toList, href: listAddress, tone: 'plain' })]
  return sendPage(reply, errorPage({ ...unknownWords, ways }, frameOf(person)), { status: 404 })
}

/** Returns the work's result, or the errors to show in the form. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<{ value: T } | { errors: FormError[] }> {
  try {
    return { value: await work() }
  } catch (error) {
    const found = error instanceof SubscriptionRefusal ? error.reasons.map((reason) => errorWords[reason]) : []
    const errors = found.filter((words) => words !== undefined && words !== 'unknown')
    if (errors.length === 0 || errors.length < found.length) throw error
    return { errors }
  }
}

function formOf({ request }: SignedInRequest): SubscriptionForm & { url: string } {
  const sent = formTexts(request, 'types')
  return { url: formText(request, 'url'), types: eventTypes.filter((type) => sent.includes(type)) }
}

function eventIn({ request }: SignedInRequest): string {
  return (request.params as { event: string }).event
}
