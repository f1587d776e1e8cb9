import type { SubscriptionFormat } from '../../domain/subscriptions/chat-messages.ts'
import type { EventType } from '../../domain/subscriptions/outgoing-event.ts'
import { type Text, t, type Words } from '../../pages/html.ts'

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
