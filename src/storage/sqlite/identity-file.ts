/** Where in the data directory the identity database lies, what brings it up to this release, and how it is kept. */
export const identityFile = {
  name: 'identity.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /** Some hundred thousand token families. */
  cacheMaxBytes: 32 * 1_048_576,
} as const
