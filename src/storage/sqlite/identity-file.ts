/** File name, migrations and cache size of the identity database. */
export const identityFile = {
  name: 'identity.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /** A cache for a few hundred thousand token families. */
  cacheMaxBytes: 32 * 1_048_576,
} as const
