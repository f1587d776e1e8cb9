import type { SecretDigest } from '../secret.ts'

/** Limit on the rows of one party. Beyond `atMost`, its own oldest rows are deleted and no others. */
export interface RowShare {
  /** Digest of what identifies the party: a client address, a user or an application. */
  holder: SecretDigest
  atMost: number
}
