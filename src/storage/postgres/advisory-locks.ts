/** The advisory locks of all nodes on a database, in one place so that no two have one number. Any fixed numbers. */
export const advisoryLocks = {
  /** Of nodes that start at once one migrates, and the others wait. */
  migration: 4_728_163_905,
  /** Whoever holds it has the duty. */
  duty: 4_728_163_906,
  /** Nodes make and drop partitions one after the other. */
  partitions: 4_728_163_907,
  /** Of two who fill a database from another one, one does. */
  filling: 4_728_163_910,
} as const
