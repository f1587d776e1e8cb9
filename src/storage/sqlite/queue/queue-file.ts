/** Where in the data directory the queue lies, what brings it up to this release, and how it is kept. */
export const queueFile = {
  name: 'queue.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /** An event is written, handed out and finished within moments, at the end of the file: little else is looked at. */
  cacheMaxBytes: 8 * 1_048_576,
} as const
