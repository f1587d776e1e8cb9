import type { BotId, SubscriptionId } from '../ids.ts'

const prefix = 'subscription:'

/**
 * Returns the name under which a subscription's events are in the delivery queue, in place of a bot ID. No bot can have
 * this name, because bot IDs contain no colon.
 */
export function outboxOf(id: SubscriptionId): BotId {
  return `${prefix}${id}` as BotId
}

/** Returns the subscription that owns this outbox, or `undefined` for a bot. */
export function subscriptionOf(botId: BotId): SubscriptionId | undefined {
  return botId.startsWith(prefix) ? (botId.slice(prefix.length) as SubscriptionId) : undefined
}
