import { network, PartyBudgets } from '../limits/budget.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'

/** Too many changes from the same network have been recorded lately. */
export class TooManyActs extends Refusal<'too-many-acts'> {
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('too-many-acts')
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Limits what users add to the audit log, which is kept for 400 days (decision 0014). A user's share is counted per
 * network, so that someone with a stolen session can't use up the share that its owner has elsewhere.
 */
export class AuditShares {
  readonly #ofUsers = new PartyBudgets(limits.auditedActsPerUser, limits.auditedActsPartiesMax)
  readonly #ofNetworks = new PartyBudgets(limits.auditedActsPerNetwork, limits.auditedActsPartiesMax)

  count(userId: string, address: string, nowMs: number): void {
    const from = network(address)
    this.#ofUsers.spend(`${userId} ${from}`, 1, nowMs)
    this.#ofNetworks.spend(from, 1, nowMs)
  }

  check(userId: string, address: string, nowMs: number): void {
    const from = network(address)
    const waitMs = Math.max(this.#ofUsers.waitMs(`${userId} ${from}`, nowMs), this.#ofNetworks.waitMs(from, nowMs))
    if (waitMs > 0) throw new TooManyActs(waitMs)
  }
}
