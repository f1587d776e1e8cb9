/**
 * Thrown when the data was created with a different secret key, so that its client secrets, tokens and passwords can't
 * be verified.
 */
export class SecretKeyMismatch extends Error {
  constructor() {
    super('the existing data was created with another secret key')
    this.name = 'SecretKeyMismatch'
  }
}
