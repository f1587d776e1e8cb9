/**
 * The duty to run the singleton jobs, such as pruning, roll-ups and email.
 *
 * A single node always has the duty. In a cluster, another node takes over when the node with the duty leaves.
 */
export interface SingletonDuty {
  readonly isOurs: boolean
}

export const alwaysOurs: SingletonDuty = { isOurs: true }
