export interface Span {
  /** ID of the trace, as 32 hexadecimal digits. */
  traceId: string
  /** ID of the span, as 16 hexadecimal digits. */
  spanId: string
  parentId: string | undefined
  name: string
  kind: keyof typeof kinds
  /** Start and end in milliseconds since the epoch. */
  startMs: number
  endMs: number
  attributes: Readonly<Record<string, string | number>>
  error: string | undefined
}

const kinds = { server: 2, producer: 4 } as const
const statusError = 2

/** Returns the spans in OTLP's JSON encoding (opentelemetry-proto, `ExportTraceServiceRequest`). */
export function spansAsOtlp(spans: readonly Span[], serviceName: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: asAttributes({ 'service.name': serviceName }) },
        scopeSpans: [{ scope: { name: 'gatehouse' }, spans: spans.map(asOtlp) }],
      },
    ],
  }
}

function asOtlp({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: inNanoseconds(startMs),
    endTimeUnixNano: inNanoseconds(endMs),
    attributes: asAttributes(attributes),
    ...(error !== undefined && { status: { code: statusError, message: error } }),
  }
}

function asAttributes(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}

function inNanoseconds(ms: number): string {
  return `${Math.trunc(ms)}000000`
}
