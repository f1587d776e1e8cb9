/** A set of callbacks that are called in the order in which they were added. */
export class Listeners<Value> {
  readonly #listeners = new Set<(value: Value) => void>()

  /** Returns a function that removes the listener. */
  readonly add = (listener: (value: Value) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly call = (value: Value): void => {
    for (const listener of this.#listeners) listener(value)
  }
}
