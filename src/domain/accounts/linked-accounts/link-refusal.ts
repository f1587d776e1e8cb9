import { Refusal } from '../../refusal.ts'
import { UpstreamRefusal, type UpstreamRefusalReason } from './upstream.ts'

export type LinkRefusalReason =
  | UpstreamRefusalReason
  | 'provider-unknown'
  | 'visit-unknown'
  | 'signed-out-meanwhile'
  | 'sign-in-again'
  | 'sign-up-closed'
  | 'user-disabled'
  | 'email-taken'
  | 'account-taken'
  | 'another-linked'
  | 'not-linked'
  | 'last-way-to-sign-in'

export interface LinkContext {
  providerName?: string
  /** Whether a signed-in user was linking an account. `false` if the user was signing in. */
  linking?: boolean
  /** Page to open after the callback. Opaque here: only the pages parse this text. */
  onward?: string | null
}

export class LinkRefusal extends Refusal<LinkRefusalReason> {
  readonly context: LinkContext

  constructor(reason: LinkRefusalReason, context: LinkContext & { detail?: string; cause?: unknown } = {}) {
    const { detail, cause, ...where } = context
    super(reason, detail === undefined ? { cause } : { detail, cause })
    this.context = where
  }
}

/** Converts a provider's refusal to a `LinkRefusal` with the context that the error page needs. */
export async function withContext<T>(context: LinkContext, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    throw new LinkRefusal(error.reason, {
      ...context,
      ...(error.detail === undefined ? {} : { detail: error.detail }),
    })
  }
}
