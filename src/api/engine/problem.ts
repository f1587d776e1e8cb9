import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Static, Type } from '../../http/json-schema.ts'

export interface MemberFault {
  /** JSON pointer to the member, such as `#/webhook/path`. */
  pointer: string
  detail: string
}

/** A problem document (RFC 9457). `errors` lists all faults in the body. */
export const problemBody = Type.Object(
  {
    type: Type.String({ description: 'always about:blank; status identifies the problem' }),
    title: Type.String({ description: 'the status text' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'what happened and how to fix it' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'place in the body, as a JSON pointer in a URI fragment (RFC 6901 section 6)',
          }),
          detail: Type.String(),
        }),
      ),
    ),
  },
  { title: 'Problem' },
)

/** An error that is sent as a problem document (RFC 9457). */
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

/** Returns a 400 problem that lists all faults in a body, so that the caller can fix them together. */
export function invalidBody(errors: readonly MemberFault[]): Problem {
  const detail = errors.length === 1 ? 'One member of the body' : `${errors.length} members of the body`
  return new Problem(400, `${detail} ${errors.length === 1 ? 'is' : 'are'} invalid; see errors. Nothing was changed.`, {
    errors,
  })
}

/** Returns the record. @throws Problem 404 if there is none. */
export function found<Found>(record: Found | undefined, what: string): Found {
  if (record === undefined) throw noSuchRecord(what)
  return record
}

export function noSuchRecord(what: string): Problem {
  return new Problem(404, `There is no ${what}. Check the ID.`)
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, errors } = problem
  const body: Static<typeof problemBody> = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problem.message,
    ...(errors.length === 0 ? {} : { errors: [...errors] }),
  }
  return reply
    .code(status)
    .headers(problem.headers)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(body))
}
