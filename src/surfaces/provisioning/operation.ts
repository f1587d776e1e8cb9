import type { Readable } from 'node:stream'
import type { Schema, Static } from '../../http/json-schema.ts'

/** With `lines` the answer is a stream of JSON texts of that schema, one a line. */
export type DescribedAnswers = Record<number, { description: string; schema?: Schema; lines?: true }>

/** One call of the API, as its contract describes it. The schemas validate, shape the answer, and are the document. */
export interface Operation {
  method: 'get' | 'put' | 'post' | 'delete'
  /** `{name}` stands for a parameter. */
  path: string
  operationId: string
  summary: string
  description?: string
  /** Optional parameters of the query, by name. */
  query?: Readonly<Record<string, Schema>>
  body?: Schema
  /** It changes no record, though it is not a GET, and is left out of the audit. */
  unaudited?: true
  /** What succeeds; problems are the same for all calls. */
  answers: DescribedAnswers
}

export type Parameters = Readonly<Record<string, string>>

interface RequestOf<O extends Operation> {
  parameters: Parameters
  /** As sent: nothing of it was looked at. */
  query: Readonly<Record<string, unknown>>
  body: O extends { body: infer Body extends Schema } ? Static<Body> : undefined
}

type AnswerOf<Answers extends DescribedAnswers> = {
  [Status in keyof Answers]: Answers[Status] extends { lines: true }
    ? { status: Status; body: Readable }
    : Answers[Status] extends { schema: infer Body extends Schema }
      ? { status: Status; body: Static<Body> }
      : { status: Status }
}[keyof Answers]

export const ok = <Body>(body: Body) => ({ status: 200, body }) as const
export const created = <Body>(body: Body) => ({ status: 201, body }) as const
export const removed = { status: 204 } as const

/** What a PUT did, with the record as it stands. */
export function put<Body>(outcome: 'created' | 'changed', body: Body) {
  return outcome === 'created' ? created(body) : ok(body)
}

/** A call with what answers it. */
export interface Route {
  operation: Operation
  answer(request: {
    parameters: Parameters
    query: Readonly<Record<string, unknown>>
    body: unknown
  }): Promise<{ status: number; body?: unknown }>
}

/** Ties a call to its answer; both ends have the types of the call's schemas. */
export function route<O extends Operation>(
  operation: O,
  answer: (request: RequestOf<O>) => Promise<AnswerOf<O['answers']>>,
): Route {
  return { operation, answer: answer as Route['answer'] }
}
