/**
 * An expected "no": it has a reason from a closed list, and the surface's wire table turns that reason
 * into a status and a body. `detail` and `cause` are for the log and never reach the wire, so they
 * must not hold a secret. Everything that is not a refusal is a fault.
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
