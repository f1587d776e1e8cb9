import type { Readable } from 'node:stream'
import type { Schema, Static } from '../../http/json-schema.ts'

/** Successful responses by status. With `lines`, the body is newline-delimited JSON with that schema. */
export type DescribedResponses = Record<number, { description: string; schema?: Schema; lines?: true }>

/**
 * An API call. Its schemas validate the request, serialize the response and describe the call in the OpenAPI document.
 */
export interface Operation {
  method: 'get' | 'put' | 'post' | 'delete'
  /** Parameters are written as `{name}`. */
  path: string
  operationId: string
  summary: string
  description?: string
  /** Optional query parameters by name. */
  query?: Readonly<Record<string, Schema>>
  body?: Schema
  /** Excludes the call from the audit log although it isn't a GET, because it changes no record. */
  unaudited?: true
  /** Only successful responses. Problems are the same for all calls. */
  responses: DescribedResponses
}

export type Parameters = Readonly<Record<string, string>>

interface RequestOf<O extends Operation> {
  parameters: Parameters
  /** As sent, without validation. */
  query: Readonly<Record<string, unknown>>
  body: O extends { body: infer Body extends Schema } ? Static<Body> : undefined
}

type ResponseOf<Answers extends DescribedResponses> = {
  [Status in keyof Answers]: Answers[Status] extends { lines: true }
    ? { status: Status; body: Readable }
    : Answers[Status] extends { schema: infer Body extends Schema }
      ? { status: Status; body: Static<Body> }
      : { status: Status }
}[keyof Answers]

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const
export const created = <Body>(body: Body) => ({ status: 201, body }) as const
export const removed = { status: 204 } as const

/** Returns status 201 for a new record and 200 for a changed one. */
export function put<Body>(outcome: 'created' | 'changed', body: Body) {
  return outcome === 'created' ? created(body) : ok(body)
}

export interface Route {
  operation: Operation
  handle(request: {
    parameters: Parameters
    query: Readonly<Record<string, unknown>>
    body: unknown
  }): Promise<{ status: number; body?: unknown }>
}

/** Pairs an API call with a handler whose types are derived from the call's schemas. */
export function route<O extends Operation>(
  operation: O,
  handle: (request: RequestOf<O>) => Promise<ResponseOf<O['responses']>>,
): Route {
  return { operation, handle: handle as Route['handle'] }
}
