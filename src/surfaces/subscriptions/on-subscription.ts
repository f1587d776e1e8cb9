import type { FastifyReply } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseSubscriptionId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { OutgoingEvents } from '../../domain/subscriptions/outgoing-events.ts'
import type { Subscription } from '../../domain/subscriptions/subscription-store.ts'
import { SubscriptionRefusal, type SubscriptionRefusalReason } from '../../domain/subscriptions/subscriptions.ts'
import { confirmEmailFirst } from '../../pages/account-refusals.ts'
import { linkButton } from '../../pages/components/elements.ts'
import { errorPage } from '../../pages/error-page.ts'
import { type Admit, errorsBy, type Refusals } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { accountPlace } from '../../pages/places.ts'
import { listAddress, listTrail } from './list-page.ts'

export interface SubscriptionPageServices {
  accounts: Pick<Accounts, 'users'>
  events: Pick<OutgoingEvents, 'subscriptions' | 'log'>
  guard: PageGuard
  clock: Clock
  portalUrl: string
}

export interface SubscriptionVisit extends SignedInRequest {
  services: SubscriptionPageServices
  subscription: Subscription
  address: string
}

/** Admits users to their subscription in the URL. Sends a 404 page if there is no such subscription or event. */
export function onSubscription(
  services: SubscriptionPageServices,
  options: ReturnOptions = {},
): Admit<SubscriptionVisit> {
  const { guard, events } = services
  return (work) =>
    guard.signedIn(async (visit) => {
      const id = parseSubscriptionId((visit.request.params as { id: string }).id)
      if (id === undefined) return sendUnknown(visit)
      try {
        const subscription = await events.subscriptions.find(visit.by, id)
        return await work({ ...visit, services, subscription, address: `${listAddress}/${id}` })
      } catch (error) {
        if (error instanceof SubscriptionRefusal && refusals[error.reason] === 'missing') return sendUnknown(visit)
        throw error
      }
    }, options)
}

function sendUnknown({ person, send }: SignedInRequest): FastifyReply {
  const content = errorPage(
    {
      what: t`Subscription or event not found`,
      why: t`The subscription doesn’t exist, or the event is no longer in its log.`,
      whatToDo: t`Check the URL, or open your subscriptions.`,
      ways: [linkButton({ label: t`Your subscriptions`, href: listAddress, tone: 'plain' })],
    },
    { place: accountPlace, trail: listTrail, person },
  )
  return send(content, 404)
}

const refusals: Refusals<SubscriptionRefusalReason> = {
  'url-malformed': ['url', t`Enter a complete URL, such as https://example.com/events.`],
  'url-too-long': ['url', t`The URL can have at most ${limits.subscriptionUrlMaxCharacters} characters.`],
  'url-with-credentials': [
    'url',
    t`Remove the user name and password from the URL. Your server checks the signature instead.`,
  ],
  'url-with-fragment': ['url', t`Remove the part after #. It is never sent.`],
  'url-not-https': ['url', t`The URL must use https://.`],
  'url-internal': [
    'url',
    t`Events can’t be sent to this host, because it is internal. Enter one that is reachable from the internet.`,
  ],
  'types-missing': ['types', t`Choose at least one event.`],
  'too-many': t`You have ${limits.subscriptionsPerOwner} subscriptions already. Remove one first.`,
  'email-unconfirmed': confirmEmailFirst,
  'tests-too-many': t`Too many test events. Try again in a minute.`,
  'outbox-full': t`Too many events are waiting for this subscription. Check your server first.`,
  'queue-unavailable': t`The event could not be stored. Try again in a moment.`,
  'subscription-unknown': 'missing',
  'event-unknown': 'missing',
  'owner-unknown': undefined,
  'owner-differs': undefined,
}

export const subscriptionErrors = errorsBy(SubscriptionRefusal, refusals)
