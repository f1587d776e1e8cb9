/**
 * An expected error with a reason from a closed list; any other error is a failure on the service's side. Each surface
 * maps the reason to a status and a body. `detail` and `cause` are only logged, but must still not contain secrets.
 */
export class Refusal<Reason extends string, About extends object = object> extends Error {
  readonly reason: Reason
  /** All validation errors of a form, starting with `reason`. Contains only `reason` for any other error. */
  readonly reasons: readonly Reason[]
  readonly detail: string | undefined
  /** Details for the surface's response. */
  readonly about: Partial<About>

  constructor(
    reasons: Reason | readonly [Reason, ...Reason[]],
    {
      detail,
      cause,
      ...about
    }: { detail?: string | undefined; cause?: unknown } & Partial<About> = {} as Partial<About>,
  ) {
    const all = typeof reasons === 'string' ? ([reasons] as const) : reasons
    super(detail === undefined ? all[0] : `${all[0]}: ${detail}`, { cause })
    this.name = new.target.name
    this.reason = all[0]
    this.reasons = all
    this.detail = detail
    this.about = about as unknown as Partial<About>
  }
}

/** A parsed value, or the reason why it is invalid. */
export type Parsed<T, Reason extends string> = { value: T } | { fault: Reason }

type RefusalOf<Reason> = new (reasons: readonly [Reason, ...Reason[]]) => Error

export function refuseAll<Reason>(reasons: readonly Reason[], refusal: RefusalOf<Reason>): void {
  const [first, ...others] = reasons
  if (first !== undefined) throw new refusal([first, ...others])
}

/** Returns a function that reads a form and throws one refusal with all its validation errors. */
export function parserOfAll<Reason extends string>(refusal: RefusalOf<Reason>) {
  return <Form>(read: (check: <T>(parsed: Parsed<T, Reason>) => T) => Form): Form => {
    const faults: Reason[] = []
    const form = read((parsed) => {
      if ('value' in parsed) return parsed.value
      faults.push(parsed.fault)
      // Parsing continues without the value, to find all errors. The incomplete form is never returned.
      return undefined as never
    })
    refuseAll(faults, refusal)
    return form
  }
}
