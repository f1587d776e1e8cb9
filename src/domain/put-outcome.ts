/** What storing a record did. `unchanged` if the stored record was equal already: then nothing was written. */
export type PutOutcome = 'created' | 'changed' | 'unchanged'

export function isPut(outcome: string): outcome is PutOutcome {
  return outcome === 'created' || outcome === 'changed' || outcome === 'unchanged'
}
