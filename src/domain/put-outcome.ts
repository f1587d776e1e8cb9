/** The effect of storing a record. `unchanged`: the stored record was equal already, so nothing was written. */
export type PutOutcome = 'created' | 'changed' | 'unchanged'

export function isPut(outcome: string): outcome is PutOutcome {
  return outcome === 'created' || outcome === 'changed' || outcome === 'unchanged'
}
