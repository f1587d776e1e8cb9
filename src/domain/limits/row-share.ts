import type { SecretDigest } from '../secret.ts'

/**
 * Maximum number of rows stored for one client address, user or application. Rows beyond the limit are deleted, oldest
 * first.
 */
export interface RowShare {
  /** Digest that identifies the client address, user or application. */
  holder: SecretDigest
  atMost: number
}
