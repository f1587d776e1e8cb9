/**
 * Tells whether this node runs the singleton jobs: pruning, roll-ups, email.
 *
 * A single node always runs them. In a cluster, another node takes over when the current one leaves.
 */
export interface SingletonDuty {
  readonly isOurs: boolean
}

export const alwaysOurs: SingletonDuty = { isOurs: true }
