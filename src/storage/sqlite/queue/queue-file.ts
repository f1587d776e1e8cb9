/** File name, migrations and cache size of the queue's database. */
export const queueFile = {
  name: 'queue.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /**
   * A small cache is enough, because most events are written, delivered and finished within moments, and little else is
   * read.
   */
  cacheMaxBytes: 8 * 1_048_576,
} as const
