import { invalidBody, type MemberFault, Problem } from './problem.ts'

/** The response to a refusal, before it becomes a problem document. */
export interface WireError {
  status: 400 | 403 | 404 | 409 | 429 | 503
  /** JSON pointer into the body. Absent if the fault is not in the body. */
  pointer?: string
  detail: string
  /** Value of `Retry-After`. By default 60 for status 429, and 1 for 503. */
  retryAfterSeconds?: number
}

/**
 * Combines the responses to one refusal into a problem. Returns `undefined` if one of them is missing, because the
 * refusal is then an internal error.
 */
export function problemOf(errors: readonly (WireError | undefined)[]): Problem | undefined {
  const [first] = errors
  if (first === undefined || errors.includes(undefined)) return undefined
  const faults = new Map<string, MemberFault>()
  for (const { pointer, detail } of errors as WireError[]) {
    if (pointer !== undefined) faults.set(`${pointer} ${detail}`, { pointer, detail })
  }
  if (first.status === 400 && faults.size > 0) return invalidBody([...faults.values()])
  return new Problem(first.status, first.detail, {
    errors: [...faults.values()],
    headers: retryAfter(first),
  })
}

function retryAfter({ status, retryAfterSeconds }: WireError): Record<string, string> {
  if (status !== 429 && status !== 503) return {}
  return { 'retry-after': String(retryAfterSeconds ?? (status === 429 ? 60 : 1)) }
}
