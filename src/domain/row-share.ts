import type { SecretDigest } from './secret.ts'

/** Bounds the rows that one party can create: beyond `atMost` its own oldest rows are deleted, and nobody else's. */
export interface RowShare {
  /** Digest of what identifies the party: a client address, a user or an application. */
  holder: SecretDigest
  atMost: number
}
