import type { Readable } from 'node:stream'
import type { PutOutcome } from '../../domain/put-outcome.ts'
import type { Schema, Static } from '../../http/json-schema.ts'

/**
 * Successful responses by status. Bodies are JSON, unless the handler streams them as text: `json` streams one document
 * of the `schema`, `lines` newline-delimited JSON, with one `schema` per line, `live` the same without an end.
 */
type DescribedResponses = Record<number, { description: string; schema?: Schema; streamed?: keyof typeof streamTypes }>

export const streamTypes = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  live: 'application/x-ndjson',
} as const

/**
 * An API call. Its schemas validate the request, serialize the response and describe the call in the OpenAPI document.
 */
export interface Operation {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Path, with parameters written as `{name}`. */
  path: string
  operationId: string
  summary: string
  description?: string
  /** Schemas of the query parameters by name. All parameters are optional. */
  query?: Readonly<Record<string, Schema>>
  body?: Schema
  /** Whether the call can be refused with 409. All PUT calls can. */
  conflicts?: true
  /**
   * The outcome in the audit log, in the past tense, such as `revoked`. Derived from the response status by default.
   */
  outcome?: string
  /** Whether the call is audited. By default, every call except GET is. */
  audited?: boolean
  /** Successful responses only. The error responses are the same for all calls. */
  responses: DescribedResponses
}

/** Returns whether the response is a stream without an end. */
export function isLive({ responses }: Operation): boolean {
  return Object.values(responses).some(({ streamed }) => streamed === 'live')
}

export type Parameters = Readonly<Record<string, string>>

export interface RequestOf<O extends Operation> {
  parameters: Parameters
  /** The query parameters as received, not validated. */
  query: Readonly<Record<string, unknown>>
  body: O extends { body: infer Body extends Schema } ? Static<Body> : undefined
}

export type ResponseOf<Answers extends DescribedResponses> = {
  [Status in keyof Answers]: Answers[Status] extends { streamed: string }
    ? { status: Status; body: Readable }
    : Answers[Status] extends { schema: infer Body extends Schema }
      ? { status: Status; body: Static<Body> }
      : { status: Status }
}[keyof Answers]

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const
export const created = <Body>(body: Body) => ({ status: 201, body }) as const
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const
export const removed = { status: 204 } as const

/** Returns status 204 for a change that is repeated without harm. */
export function done(outcome: 'changed' | 'unchanged') {
  return { status: 204, unchanged: outcome === 'unchanged' } as const
}

/** Returns status 201 for a new record and 200 for another. A call that changed nothing is not audited. */
export function put<Body>(outcome: PutOutcome, body: Body) {
  return outcome === 'created' ? created(body) : replaced(outcome, body)
}

export function replaced<Body>(outcome: 'changed' | 'unchanged', body: Body) {
  return { ...ok(body), unchanged: outcome === 'unchanged' }
}

interface HandledCall {
  status: number
  body?: unknown
  /** Whether the call has changed nothing, so that there is nothing to audit. */
  unchanged?: boolean
}

/** An API call with its handler. `Caller` is what the API knows about an authenticated client. */
export interface Route<Caller = unknown, O extends Operation = Operation> {
  operation: O
  handle(request: {
    caller: Caller
    parameters: Parameters
    query: Readonly<Record<string, unknown>>
    body: unknown
  }): Promise<HandledCall>
}

/** Pairs an API call with a handler whose types are derived from the call's schemas. */
export function route<O extends Operation>(
  operation: O,
  handle: (request: RequestOf<O>) => Promise<ResponseOf<O['responses']>>,
): Route {
  return { operation, handle: handle as Route['handle'] }
}
