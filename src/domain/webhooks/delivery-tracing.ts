import type { Delivery } from './delivery-queue.ts'

/** Traces delivery attempts. Present only if the operator has configured a trace collector. */
export interface DeliveryTracing {
  /** Starts a span for the attempt. Returns the trace context for the runtime (W3C Trace Context, `traceparent`). */
  dispatched(delivery: Delivery): string
  /**
   * Ends the attempt's span.
   *
   * @param error the error from the runtime; `undefined` on success.
   */
  ended(delivery: string, error: string | undefined): void
}
