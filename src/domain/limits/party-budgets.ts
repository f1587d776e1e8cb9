import { ByteBudget } from './byte-budget.ts'

/** A budget for each party, such as a user or a network. Only parties that have spent something take up memory. */
export class PartyBudgets {
  readonly #budget: { burst: number; perSecond: number }
  readonly #partiesMax: number
  readonly #ofParties = new Map<string, ByteBudget>()

  /** @param partiesMax maximum number of parties remembered. Beyond it, the one known longest is forgotten. */
  constructor(budget: { burst: number; perSecond: number }, partiesMax: number) {
    this.#budget = budget
    this.#partiesMax = partiesMax
  }

  spend(party: string, amount: number, nowMs: number): void {
    let budget = this.#ofParties.get(party)
    if (budget === undefined) {
      const [oldest] = this.#ofParties.keys()
      if (oldest !== undefined && this.#ofParties.size >= this.#partiesMax) this.#ofParties.delete(oldest)
      budget = new ByteBudget(this.#budget, nowMs)
      this.#ofParties.set(party, budget)
    }
    budget.spend(amount, nowMs)
  }

  /** Returns the milliseconds until the party has something left, or 0 if it has. */
  waitMs(party: string, nowMs: number): number {
    const left = this.#ofParties.get(party)?.left(nowMs) ?? this.#budget.burst
    return left >= 1 ? 0 : Math.ceil(((1 - left) / this.#budget.perSecond) * 1_000)
  }
}
