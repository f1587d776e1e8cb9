/** The existing data was made with another secret key: no client secret, token or password in it can be verified. */
export class SecretKeyMismatch extends Error {
  constructor() {
    super('the existing data was made with another secret key')
    this.name = 'SecretKeyMismatch'
  }
}
