import { Refusal } from '../../refusal.ts'
import type { UpstreamRefusalReason } from './upstream.ts'

export type LinkRefusalReason =
  | UpstreamRefusalReason
  | 'provider-unknown'
  | 'visit-unknown'
  | 'signed-out-meanwhile'
  | 'sign-in-again'
  | 'sign-up-closed'
  | 'email-taken'
  | 'account-taken'
  | 'another-linked'
  | 'not-linked'
  | 'last-way-to-sign-in'

/** What a page needs to know to say it and to lead on. */
export interface LinkContext {
  providerName?: string
  /** Whether an account was to be linked by somebody signed in, and not signed in with. */
  linking?: boolean
  /** Where the person was to go on, in the pages' own words. */
  onward?: string | null
}

/** An expected "no" about accounts at other providers. */
export class LinkRefusal extends Refusal<LinkRefusalReason> {
  readonly context: LinkContext

  constructor(reason: LinkRefusalReason, context: LinkContext & { detail?: string; cause?: unknown } = {}) {
    const { detail, cause, ...where } = context
    super(reason, detail === undefined ? { cause } : { detail, cause })
    this.context = where
  }
}
