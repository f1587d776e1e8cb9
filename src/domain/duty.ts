/**
 * Tells whether this node runs the singleton jobs: pruning, roll-ups, mail.
 *
 * A single node always does. Among several nodes, another one takes over when the current one leaves.
 */
export interface SingletonDuty {
  readonly isOurs: boolean
}

export const alwaysOurs: SingletonDuty = { isOurs: true }
