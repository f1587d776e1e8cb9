import { mailDeferralsPerDomain, mailDomainsHeldMax, mailRetryWaitsMs } from '../../limits/limits.ts'

interface Deferrals {
  inARow: number
  heldUntilMs: number
}

/**
 * Tracks domains for which the mail server keeps deferring email. After {@link mailDeferralsPerDomain} consecutive
 * deferrals, email to the domain is held back so that it does not delay other email. Each hold lasts longer than the
 * previous one. The state is kept in memory.
 */
export class MailDomains {
  readonly #deferrals = new Map<string, Deferrals>()

  /** Returns when the domain's hold ends, or `undefined` if email to the domain is not held back. */
  heldUntilMs(domain: string, nowMs: number): number | undefined {
    const heldUntilMs = this.#deferrals.get(domain)?.heldUntilMs ?? 0
    return heldUntilMs > nowMs ? heldUntilMs : undefined
  }

  countDeferral(domain: string, nowMs: number): void {
    const inARow = (this.#deferrals.get(domain)?.inARow ?? 0) + 1
    const step = Math.min(inARow - mailDeferralsPerDomain, mailRetryWaitsMs.length - 1)
    const waitMs = step < 0 ? 0 : (mailRetryWaitsMs[step] as number)
    this.#deferrals.delete(domain)
    this.#deferrals.set(domain, { inARow, heldUntilMs: nowMs + waitMs })
    if (this.#deferrals.size > mailDomainsHeldMax) {
      for (const oldest of this.#deferrals.keys()) {
        this.#deferrals.delete(oldest)
        break
      }
    }
  }

  resetDeferrals(domain: string): void {
    this.#deferrals.delete(domain)
  }
}

/** Returns the domain of an email address, in lower case. */
export function mailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}
