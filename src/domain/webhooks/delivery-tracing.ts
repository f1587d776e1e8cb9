import type { Delivery } from './delivery-queue.ts'

/** Told of each attempt at a delivery, where the operator has traces collected. */
export interface DeliveryTracing {
  /** An attempt begins. Returns the trace context for the runtime (W3C Trace Context, `traceparent`). */
  dispatched(delivery: Delivery): string
  /** The runtime has answered for it. @param error what it says went wrong; undefined when it is done. */
  ended(delivery: string, error: string | undefined): void
}
