import { botShareOfFreeQueue } from './limits.ts'

/** Maximum number of unfinished events, and maximum total size of their bodies, per bot and in total. */
export interface QueueLimits {
  maxEventsPerBot: number
  maxBytesPerBot: number
  maxEvents: number
  maxBytes: number
}

/** Returns a bot's limits, given how much of the queue is free. See {@link botShareOfFreeQueue}. */
export function limitsOfBot(
  { maxEventsPerBot, maxBytesPerBot }: QueueLimits,
  free: { events: number; bytes: number },
): { events: number; bytes: number } {
  return {
    events: Math.min(maxEventsPerBot, botShareOfFreeQueue * free.events),
    bytes: Math.min(maxBytesPerBot, botShareOfFreeQueue * free.bytes),
  }
}

/** Maximum number of finished events that are kept, and maximum of their bytes: in total, and per bot. */
interface KeptLimits {
  events: number
  bytes: number
  eventsPerBot: number
  bytesPerBot: number
  /** The totals of all subscriptions' outboxes, which don't count toward those of bots. */
  outgoing: { events: number; bytes: number }
}

export type RetentionLimits = Readonly<Record<'done' | 'dead', KeptLimits>>
