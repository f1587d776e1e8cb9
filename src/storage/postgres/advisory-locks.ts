/**
 * Advisory locks shared by all nodes on a database. The numbers are arbitrary but must never change. Keep all of them
 * here to avoid clashes.
 */
export const advisoryLocks = {
  /** Held while migrating the schema. Other nodes that start at the same time wait. */
  migration: 4_728_163_905,
  /** Held by the node that runs the singleton jobs, such as pruning. */
  duty: 4_728_163_906,
  /** Serializes the creation and removal of partitions. */
  partitions: 4_728_163_907,
  /** Prevents two `gatehouse migrate` commands from filling the same database. */
  dataMigration: 4_728_163_910,
} as const
