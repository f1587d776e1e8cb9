import type { SecretDigest } from '../secret.ts'

/** Limit on the number of rows that one party can own. Above `atMost`, that party's oldest rows are deleted. */
export interface RowShare {
  /** Digest that identifies the party: a client address, a user or an application. */
  holder: SecretDigest
  atMost: number
}
