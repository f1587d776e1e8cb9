import type { SecretDigest } from '../secret.ts'

/** Limit on the rows of one party. Beyond `atMost`, only its own oldest rows are deleted. */
export interface RowShare {
  /** Digest that identifies the party: a client address, a user or an application. */
  holder: SecretDigest
  atMost: number
}
