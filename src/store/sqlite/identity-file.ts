/** Where in the data directory the identity database lies, and what brings it up to this release. */
export const identityFile = {
  name: 'identity.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
} as const
