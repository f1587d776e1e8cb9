/**
 * An expected error with a reason from a closed list. Any other error is a failure on the service's side.
 *
 * Each surface has a table that maps the reason to a status and a body. `detail` and `cause` are only logged, but must
 * still not contain secrets.
 */
export class Refusal<Reason extends string> extends Error {
  readonly reason: Reason
  readonly detail: string | undefined

  constructor(reason: Reason, context: { detail?: string; cause?: unknown } = {}) {
    super(context.detail === undefined ? reason : `${reason}: ${context.detail}`, { cause: context.cause })
    this.name = new.target.name
    this.reason = reason
    this.detail = context.detail
  }
}
