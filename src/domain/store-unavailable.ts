/** A store can't take the work now: nothing of it was answered for, and trying again later is right. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}
