/**
 * An expected error with a reason from a closed list. Any other error is a failure on the service's side.
 *
 * Each surface has a table that maps the reason to a status and a body. `detail` and `cause` are only logged, but must
 * still not contain secrets.
 */
export class Refusal<Reason extends string> extends Error {
  readonly reason: Reason
  /** All validation errors of a form, starting with `reason`. Contains only `reason` for any other error. */
  readonly reasons: readonly Reason[]
  readonly detail: string | undefined

  constructor(reasons: Reason | readonly [Reason, ...Reason[]], context: { detail?: string; cause?: unknown } = {}) {
    const all = typeof reasons === 'string' ? ([reasons] as const) : reasons
    super(context.detail === undefined ? all[0] : `${all[0]}: ${context.detail}`, { cause: context.cause })
    this.name = new.target.name
    this.reason = all[0]
    this.reasons = all
    this.detail = context.detail
  }
}
