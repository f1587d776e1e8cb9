/**
 * Advisory locks that all nodes on a database share. The numbers are arbitrary but fixed; keep them here to avoid
 * clashes.
 */
export const advisoryLocks = {
  /** One node migrates the schema; nodes that start at the same time wait. */
  migration: 4_728_163_905,
  /** Held by the node on duty. */
  duty: 4_728_163_906,
  /** Serializes the creation and removal of partitions. */
  partitions: 4_728_163_907,
  /** Prevents two `gatehouse migrate` commands from filling one database. */
  dataMigration: 4_728_163_910,
} as const
