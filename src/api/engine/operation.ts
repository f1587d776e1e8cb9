import type { Readable } from 'node:stream'
import type { PersonalTokenScope } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { PutOutcome } from '../../domain/put-outcome.ts'
import type { Schema } from '../../http/json-schema.ts'

/**
 * Media types of bodies that the handler streams as text: `json` is one document, `lines` newline-delimited JSON, with
 * one value of the schema per line, `live` the same without an end.
 */
export const streamTypes = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  live: 'application/x-ndjson',
} as const

/** A successful response: its description, the schema of its body, and how the body is streamed if it is. */
export type Answer =
  | string
  | readonly [description: string, schema: Schema]
  | readonly [description: string, schema: Schema, streamed: keyof typeof streamTypes]

/** What an API says about a call, besides its method, path and summary. */
export interface Declaration {
  /** Default: derived from method and path, such as `putRuntime` for `PUT /runtimes/{runtimeId}`. */
  operationId?: string
  description?: string | undefined
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
  /** Successful responses by status. The error responses are the same for all calls. */
  200?: Answer
  201?: Answer
  202?: Answer
  204?: Answer
}

/**
 * An API call. Its schemas validate the request, serialize the response and describe the call in the OpenAPI document.
 */
export interface Operation extends Omit<Declaration, keyof ResponsesIn> {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Path, with parameters written as `{name}`. */
  path: string
  operationId: string
  summary: string
  responses: Readonly<Record<number, { description: string; schema?: Schema; streamed?: keyof typeof streamTypes }>>
  /**
   * In the API for owners: the scope that the token needs. `null` if every token may make the call. `runtime-key` if
   * the call needs a runtime key instead of a token.
   */
  scope?: PersonalTokenScope | null | 'runtime-key'
}

type ResponsesIn = Pick<Declaration, 200 | 201 | 202 | 204>

/** Returns whether the response is a stream without an end. */
export function isLive({ responses }: Operation): boolean {
  return Object.values(responses).some(({ streamed }) => streamed === 'live')
}

export type Parameters = Readonly<Record<string, string>>

/** What a handler may return for a call that is declared so. */
export type ResponseOf<Declared> = {
  [Status in keyof Declared & keyof ResponsesIn]: { status: Status; unchanged?: boolean } & BodyOf<Declared[Status]>
}[keyof Declared & keyof ResponsesIn]

type BodyOf<Declared> = Declared extends readonly [string, Schema, string]
  ? { body: Readable }
  : Declared extends readonly [string, Schema<infer Body>]
    ? { body: Body }
    : object

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const
export const created = <Body>(body: Body) => ({ status: 201, body }) as const
export const accepted = <Body>(body: Body) => ({ status: 202, body }) as const

/**
 * Returns status 204 once the work is done.
 *
 * @param missing the error if the work found no record, and so resolves with `false` or `unknown`.
 */
export async function done(work: Promise<unknown>, missing?: () => Error) {
  const outcome = await work
  if (missing !== undefined && (outcome === false || outcome === 'unknown')) throw missing()
  return { status: 204, unchanged: outcome === 'unchanged' } as const
}

/** Returns status 201 for a new record and 200 for another. */
export function put<Body>(outcome: PutOutcome, body: Body) {
  return outcome === 'created' ? created(body) : replaced(outcome, body)
}

export function replaced<Body>(outcome: 'changed' | 'unchanged', body: Body) {
  return { ...ok(body), unchanged: outcome === 'unchanged' }
}

/** A request as it was received. The body has been validated, the query has not. */
export interface ReceivedCall<Caller> {
  caller: Caller
  parameters: Parameters
  query: Readonly<Record<string, unknown>>
  body: unknown
}

interface HandledCall {
  status: number
  body?: unknown
  /** Whether the call has changed nothing, so that there is nothing to audit. */
  unchanged?: boolean
}

/** An API call with its handler. `Caller` is what the API knows about an authenticated client. */
export interface Route<Caller = unknown> {
  operation: Operation
  handle(received: ReceivedCall<Caller>): Promise<HandledCall>
}
