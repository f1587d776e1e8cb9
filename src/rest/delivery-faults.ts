import { queueFullRetryAfterSeconds } from '../domain/limits/limits.ts'
import type { DeliveryLogRefusalReason } from '../domain/webhooks/event-actions.ts'
import type { WireError } from './wire-error.ts'

/** Error responses for refused actions on events. Every API reports them in the same way. */
export const deliveryFaults: Record<DeliveryLogRefusalReason, WireError> = {
  'event-unknown': { status: 404, detail: 'The bot has no such event, or it is no longer kept.' },
  'in-process': { status: 409, detail: 'A runtime is processing this event. Wait for the result.' },
  finished: { status: 409, detail: 'This event is finished already. You can replay it.' },
  'behind-another': {
    status: 409,
    detail: 'The flow has strict order, and an earlier event of it is not finished. Retry or discard that event.',
  },
  'queue-full': {
    status: 503,
    detail: 'The queue is full. Nothing was changed. Try again later.',
    retryAfterSeconds: queueFullRetryAfterSeconds,
  },
  'gateway-unavailable': {
    status: 503,
    detail: 'The queue is unavailable. Nothing was changed. Try again in a moment.',
  },
}
