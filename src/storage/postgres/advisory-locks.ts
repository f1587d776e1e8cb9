/** Advisory locks shared by all nodes on a database, all kept here. The arbitrary numbers must never change. */
export const advisoryLocks = {
  /** Lock held while migrating the schema. Other nodes that start at the same time wait for it. */
  migration: 4_728_163_905,
  /** Lock held by the node that runs the singleton jobs, such as pruning. */
  duty: 4_728_163_906,
  /** Lock that serializes the creation and removal of partitions. */
  partitions: 4_728_163_907,
  /** Lock that prevents two `gatehouse migrate` commands from filling the same database. */
  dataMigration: 4_728_163_910,
} as const
