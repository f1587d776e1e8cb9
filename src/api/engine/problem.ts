import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Static, Type } from '../../http/json-schema.ts'
import { type RawResponse, rawResponse } from '../../http/raw-exchange.ts'

export interface MemberFault {
  /** JSON pointer to the member, such as `#/webhook/path`. */
  pointer: string
  detail: string
}

/** A problem document (RFC 9457). `errors` lists all faults in the body. */
export const problemBody = Type.Object(
  {
    type: Type.String('always about:blank; status identifies the problem'),
    title: Type.String('the status text'),
    status: Type.Integer(),
    detail: Type.String('what happened and how to fix it'),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String('place in the body, as a JSON pointer in a URI fragment (RFC 6901 section 6)'),
          detail: Type.String(),
        }),
      ),
    ),
  },
  { title: 'Problem' },
)

export class Problem extends Error {
  readonly status: number
  readonly errors: readonly MemberFault[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    detail: string,
    more: { errors?: readonly MemberFault[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
    this.name = 'Problem'
    this.status = status
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }
}

export function invalidBody(errors: readonly MemberFault[]): Problem {
  const detail = errors.length === 1 ? 'One member of the body' : `${errors.length} members of the body`
  return new Problem(400, `${detail} ${errors.length === 1 ? 'is' : 'are'} invalid; see errors. Nothing was changed.`, {
    errors,
  })
}

/** @throws Problem 404 if there is no record. */
export function found<Found>(record: Found | undefined, what: string): Found {
  if (record === undefined) throw noSuchRecord(what)
  return record
}

export function noSuchRecord(what: string): Problem {
  return new Problem(404, `There is no ${what}. Check the ID.`)
}

export function waitFirst(waitMs: number, detail: (seconds: number) => string): Problem {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Problem(429, detail(seconds), { headers: { 'retry-after': String(seconds) } })
}

const problemHeaders = { 'cache-control': 'no-store', 'content-type': 'application/problem+json' }

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).headers(problem.headers).headers(problemHeaders).send(documentOf(problem))
}

/** Returns the response where there is no Fastify reply, without the problem's own headers. */
export function problemResponse(problem: Problem): RawResponse {
  return rawResponse(problem.status, Object.entries(problemHeaders).flat(), documentOf(problem))
}

function documentOf({ status, message, errors }: Problem): string {
  const body: Static<typeof problemBody> = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    ...(errors.length === 0 ? {} : { errors: [...errors] }),
  }
  return JSON.stringify(body)
}

/** The response to a refusal, before it becomes a problem document. */
export interface WireError {
  status: 400 | 403 | 404 | 409 | 429 | 503
  /** JSON pointer into the body. Absent if the fault is not in the body. */
  pointer?: string
  detail: string
  retryAfterSeconds?: number
}

/** The responses by reason. A reason without one can't occur in the API. If it does, it is an internal error. */
export type WireErrors = Readonly<Partial<Record<string, WireError>>>

export const badRequest = (detail: string): WireError => ({ status: 400, detail })
export const invalid = (pointer: string, detail: string): WireError => ({ status: 400, pointer, detail })
export const forbidden = (detail: string): WireError => ({ status: 403, detail })
export const missing = (detail: string): WireError => ({ status: 404, detail })
export const conflict = (detail: string, pointer?: string): WireError => ({
  status: 409,
  detail,
  ...(pointer && { pointer }),
})
export const tooMany = (detail: string): WireError => ({ status: 429, detail, retryAfterSeconds: 60 })
export const unavailable = (detail: string, retryAfterSeconds = 1): WireError => {
  return { status: 503, detail, retryAfterSeconds }
}

/** Combines a refusal's responses into a problem. `undefined` if one is missing, which is an internal error. */
export function problemOf(errors: readonly (WireError | undefined)[]): Problem | undefined {
  const [first] = errors
  if (first === undefined || errors.includes(undefined)) return undefined
  const faults = new Map<string, MemberFault>()
  for (const { pointer, detail } of errors as WireError[]) {
    if (pointer !== undefined) faults.set(`${pointer} ${detail}`, { pointer, detail })
  }
  if (first.status === 400 && faults.size > 0) return invalidBody([...faults.values()])
  const { status, detail, retryAfterSeconds } = first
  return new Problem(status, detail, {
    errors: [...faults.values()],
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })
}
