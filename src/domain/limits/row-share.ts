import type { SecretDigest } from '../secret.ts'

/**
 * Maximum number of rows stored for one client address, user or application. Beyond it, the oldest rows are deleted.
 */
export interface RowShare {
  /** Digest that identifies the client address, user or application. */
  holder: SecretDigest
  atMost: number
}
