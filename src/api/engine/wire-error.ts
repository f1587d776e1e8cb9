import { invalidBody, type MemberFault, Problem } from './problem.ts'

/** The response to a refusal, before it becomes a problem document. */
export interface WireError {
  status: 400 | 403 | 404 | 409 | 429 | 503
  /** JSON pointer into the body. Absent if the fault is not in the body. */
  pointer?: string
  detail: string
  retryAfterSeconds?: number
}

export const badRequest = (detail: string): WireError => ({ status: 400, detail })
/** @param pointer JSON pointer into the body. */
export const invalid = (pointer: string, detail: string): WireError => ({ status: 400, pointer, detail })
export const forbidden = (detail: string): WireError => ({ status: 403, detail })
export const missing = (detail: string): WireError => ({ status: 404, detail })
export const conflict = (detail: string, pointer?: string): WireError => ({
  status: 409,
  detail,
  ...(pointer !== undefined && { pointer }),
})
export const tooMany = (detail: string): WireError => ({ status: 429, detail, retryAfterSeconds: 60 })
export const unavailable = (detail: string, retryAfterSeconds = 1): WireError => ({
  status: 503,
  detail,
  retryAfterSeconds,
})

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
  const { status, detail, retryAfterSeconds } = first
  return new Problem(status, detail, {
    errors: [...faults.values()],
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })
}
