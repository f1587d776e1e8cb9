import type { FastifyReply } from 'fastify'
import { parseSubscriptionId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { SubscriptionFormat } from '../../domain/subscriptions/chat-messages.ts'
import type { EventType } from '../../domain/subscriptions/outgoing-event.ts'
import type { Subscription } from '../../domain/subscriptions/subscription-store.ts'
import { SubscriptionRefusal, type SubscriptionRefusalReason } from '../../domain/subscriptions/subscriptions.ts'
import { confirmEmailFirst } from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { emptyState, linkButton, state, table, tag } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { errorPage } from '../../pages/error-page.ts'
import { type Admit, errorsBy, type Refusals } from '../../pages/form-routes.ts'
import { cut, type Html, html, type Text, t, type Words } from '../../pages/html.ts'
import type { ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts, accountPlace } from '../../pages/places.ts'

export interface SubscriptionVisit extends SignedInRequest {
  services: AccountServices
  subscription: Subscription
  address: string
}

/** Admits users to their subscription in the URL. Sends a 404 page if there is no such subscription or event. */
export function onSubscription(services: AccountServices, options: ReturnOptions = {}): Admit<SubscriptionVisit> {
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
  'id-reserved': undefined,
}

export const subscriptionErrors = errorsBy(SubscriptionRefusal, refusals)

export const formatWords: Record<SubscriptionFormat, Text> = {
  standard: 'Standard Webhooks',
  discord: 'Discord',
  slack: 'Slack',
}

export const eventTypeWords: Record<EventType, { name: Words; hint: Words }> = {
  'bot.offline': {
    name: t`Bot went offline`,
    hint: t`No heartbeat for 90 seconds, connection lost, or hosting turned off.`,
  },
  'bot.online': { name: t`Bot came online`, hint: t`The bot is connected again.` },
  'delivery.dead': {
    name: t`Webhooks became dead letters`,
    hint: t`All attempts failed, 24 hours passed, or a runtime rejected them.`,
  },
  'queue.nearly_full': { name: t`A bot’s queue is nearly full`, hint: t`It has reached 80 % of its limit.` },
  'refresh_token.reused': {
    name: t`A refresh token was reused`,
    hint: t`Someone stole it, or your application used it twice at the same time. The authorization is revoked.`,
  },
  'client_secret.revoked': {
    name: t`A client secret was revoked`,
    hint: t`The event contains the time of its last use.`,
  },
  'authorization.revoked': {
    name: t`A user revoked your application’s access`,
    hint: t`Its tokens for this user no longer work.`,
  },
}

export const listAddress = '/account/subscriptions'
export const listTrail = [accountParts.applications, { name: t`Event subscriptions`, href: listAddress }]

export function sendList(
  { show, done }: SignedInRequest,
  subscriptions: readonly Subscription[],
  { nowMs, portalUrl }: { nowMs: number; portalUrl: string },
): FastifyReply {
  const add = linkButton({ label: t`Add subscription`, href: `${listAddress}/new`, tone: 'primary' })
  return show({
    place: accountPlace,
    title: t`Event subscriptions`,
    trail: [accountParts.applications, { name: t`Event subscriptions` }],
    width: 'wide',
    body: html`${done}
<h1>${t`Event subscriptions`}</h1>
<p>${t.html`Receive a signed request at your URL, or a message in Discord or Slack, when something happens to your bots or applications. The guide <a href="${portalUrl}/guides/events">Events</a> describes the requests.`}</p>
${
  subscriptions.length === 0
    ? emptyState({
        title: t`No subscriptions yet`,
        body: html`<p>${t`Add the URL of your server, of a tool that accepts Standard Webhooks, or of a webhook of Discord or Slack.`}</p>`,
        action: add,
      })
    : html`${table({
        caption: t`Your subscriptions, newest first`,
        rows: subscriptions,
        columns: [
          {
            title: t`Endpoint URL`,
            cell: ({ id, url, format }) =>
              html`<a href="${listAddress}/${id}"><code>${cut(url, 100)}</code></a>${format !== 'standard' && html` ${tag(formatWords[format])}`}`,
          },
          {
            title: t`Events`,
            cell: ({ types }) =>
              html`<span class="small">${types.map((type, at) => html`${at > 0 && html`<br>`}${eventTypeWords[type].name}`)}</span>`,
          },
          { title: t`State`, cell: subscriptionState },
          { title: t`Created`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
        ],
      })}
<p>${add}</p>`
}`,
  })
}

const states = {
  active: { tone: 'good', word: t`Active` },
  'switched-off': { tone: 'neutral', word: t`Turned off` },
  gone: { tone: 'bad', word: t.in('subscription')`Disabled` },
} as const

export function subscriptionState({ disabledBecause }: Subscription): Html {
  return state(states[disabledBecause ?? 'active'])
}
