/** Where in the data directory the queue lies, and what brings it up to this release. */
export const queueFile = {
  name: 'queue.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
} as const
