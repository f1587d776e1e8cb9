import { runtimeUnstoredMax } from '../../domain/limits/limits.ts'

/**
 * Handles frames in order. Holds them back while an asynchronous step is in progress, or while too many entries are
 * being stored.
 */
export class FrameIntake {
  readonly #handle: (text: string) => void
  readonly #onOpen: () => void
  /** Frames that are held back. There are only a few, because the connection isn't read in the meantime. */
  #held: string[] = []
  #steps = 0
  /** Number of reports and log entries currently being stored. */
  #unstored = 0

  /** @param onOpen called once held frames have been handled, so that the connection can be read again. */
  constructor(handle: (text: string) => void, onOpen: () => void) {
    this.#handle = handle
    this.#onOpen = onOpen
  }

  /** Whether the next frame would be handled immediately. */
  get isOpen(): boolean {
    return !this.#isBusy && this.#held.length === 0
  }

  take(text: string): void {
    if (this.isOpen) this.#handle(text)
    else this.#held.push(text)
  }

  beginStep(): void {
    this.#steps += 1
  }

  endStep(): void {
    this.#steps -= 1
    this.#takeHeld()
  }

  /**
   * Counts the entries as not yet stored until `work` resolves.
   *
   * @param work must not reject.
   */
  storing(entries: number, work: Promise<void>): void {
    this.#unstored += entries
    work.then(() => {
      this.#unstored -= entries
      this.#takeHeld()
    })
  }

  /** Handles the held frames immediately, even if something is in progress. */
  takeAll(): void {
    for (const text of this.#held.splice(0)) this.#handle(text)
  }

  clear(): void {
    this.#held = []
  }

  get #isBusy(): boolean {
    return this.#steps > 0 || this.#unstored >= runtimeUnstoredMax
  }

  /** Handles held frames until one of them blocks the rest. */
  #takeHeld(): void {
    for (let text = this.#held[0]; text !== undefined && !this.#isBusy; text = this.#held[0]) {
      this.#held.shift()
      this.#handle(text)
    }
    this.#onOpen()
  }
}
