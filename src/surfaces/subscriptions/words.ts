import type { SubscriptionFormat } from '../../domain/subscriptions/chat-messages.ts'
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
  states: {
    active: t`Active`,
    'switched-off': t`Turned off`,
    gone: t.in('subscription')`Disabled`,
  },
}

export const formatWords: Record<SubscriptionFormat, Text> = {
  standard: 'Standard Webhooks',
  discord: 'Discord',
  slack: 'Slack',
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

/** Text for the log of sent events. */
export const logWords = {
  states: {
    ready: t`Waiting`,
    leased: t`Sending`,
    done: t`Delivered`,
    dead: t`Failed`,
  } satisfies Record<EventState, Words>,
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
  outcomes: {
    acknowledged: t`Delivered (2xx)`,
    failed: t`Failed`,
    'under-way': t`Sending`,
  },
}
