import type { EventType } from '../../domain/subscriptions/outgoing-event.ts'
import {
  internalAddressError,
  ownerDisabledError,
  sendingFailedError,
  subscriptionDisabledError,
} from '../../domain/subscriptions/outgoing-requests.ts'
import type { EventState } from '../../domain/webhooks/event-log.ts'
import { leaseExpiredError, runtimeDisconnectedError } from '../../domain/webhooks/retry.ts'
import { type Text, t, type Words } from '../../pages/html.ts'

/** Text for the list of subscriptions and for one subscription. */
export const subscriptionWords = {
  title: t`Event subscriptions`,
  /** @param guide the guide's URL. */
  about: (guide: string): Words =>
    t.html`Receive a signed request at your URL when something happens to your bots or applications. The guide <a href="${guide}">Events</a> describes the requests.`,
  none: {
    title: t`No subscriptions yet`,
    body: t`Add the URL of your server, or of a chat, ticketing or alerting tool that accepts Standard Webhooks.`,
  },
  add: t`Add subscription`,
  caption: t`Your subscriptions, newest first`,
  url: t`Endpoint URL`,
  events: t`Events`,
  state: t`State`,
  created: t`Created`,
  id: t`Subscription ID`,
  states: {
    active: t`Active`,
    'switched-off': t`Turned off`,
    gone: t.in('subscription')`Disabled`,
  },
  gone: t`Disabled because the URL responded with 410 Gone. To send events again, edit the subscription and select “Send events”.`,
  previousSecret: t`Previous secret`,
  signsUntil: (when: Text): Words => t`also signs, expires ${when}`,
  test: t`Send test event`,
  edit: t`Edit`,
  rotate: t`Rotate secret`,
  remove: t`Remove`,
}

/** Names of the event types, with an explanation. */
export const eventTypeWords: Record<EventType, { name: Words; hint: Words }> = {
  'bot.offline': {
    name: t`Bot went offline`,
    hint: t`No heartbeat for 90 seconds, connection lost, or hosting turned off.`,
  },
  'bot.online': {
    name: t`Bot came online`,
    hint: t`The bot is connected again.`,
  },
  'delivery.dead': {
    name: t`Webhooks became dead letters`,
    hint: t`All attempts failed, 24 hours passed, or a runtime rejected them.`,
  },
  'queue.nearly_full': {
    name: t`A bot’s queue is nearly full`,
    hint: t`It has reached 80 % of its limit.`,
  },
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

export const testEventName = t`Test event`

/** Text for a signing secret. It is shown only once. */
export const secretWords = {
  title: t`Signing secret created`,
  label: t`Signing secret`,
  explain: t.html`Copy the secret to your server’s settings now: <strong>it is shown only once</strong>. Your server uses it to check the signature of each request.`,
}

/** Text for the log of sent events. */
export const logWords = {
  title: t`Event log`,
  caption: t`Events, newest first`,
  none: t`No events yet. Send a test event to check your server.`,
  noneEarlier: t`No earlier events.`,
  created: t`Created`,
  event: t`Event`,
  state: t`State`,
  attempts: t`Attempts`,
  lastError: t`Last error`,
  replayTag: t.in('tag')`Replay`,
  earlier: t`Earlier`,
  newest: t`Newest`,
  states: {
    ready: t`Waiting`,
    leased: t`Sending`,
    done: t`Delivered`,
    dead: t`Failed`,
  } satisfies Record<EventState, Words>,
  nextAttempt: (when: Text): Words => t`Next attempt ${when}`,
}

const ownErrors = new Map([
  [internalAddressError, t`The URL points to an internal address, which is not allowed.`],
  [sendingFailedError, t`The service failed to send the request.`],
  [ownerDisabledError, t`Your account was disabled.`],
  [subscriptionDisabledError, t`The subscription was turned off.`],
  ...[leaseExpiredError, runtimeDisconnectedError].map((error) => [error, t`The service was interrupted.`] as const),
])

/** Translates an error recorded by the service itself. Returns any other error unchanged. */
export function attemptError(error: string): Words | string {
  return ownErrors.get(error) ?? error
}

/** Text for one sent event. */
export const eventPageWords = {
  replayOf: t.in('event')`Replay of`,
  replayedAs: t`Replayed as`,
  replay: t`Replay`,
  replayMeans: t`A replay keeps the webhook-id, so your server can recognize the duplicate.`,
  attempts: t`Attempts`,
  attemptsAbout: t`Any 2xx response counts as delivered. Otherwise, the request is retried after 5 s, 30 s, 2 min, 10 min and 1 h.`,
  noAttempts: t`Not sent yet.`,
  outcomes: {
    acknowledged: t`Delivered (2xx)`,
    failed: t`Failed`,
    'under-way': t`Sending`,
  },
  took: (ms: number): Words => t`took ${ms} ms`,
  body: t`Request body`,
}
