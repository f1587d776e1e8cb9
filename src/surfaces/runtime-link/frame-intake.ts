import { runtimeUnstoredMax } from '../../domain/limits/limits.ts'

/** Handles frames in order. Holds them back while a step is in progress, or while too many entries are being stored. */
export class FrameIntake {
  readonly #handle: (text: string) => void
  readonly #onOpen: () => void
  /** Frames held back. Only a few, because the connection isn't read meanwhile. */
  #held: string[] = []
  #steps = 0
  /** Number of reports and log entries that are being stored. */
  #unstored = 0

  /** @param onOpen called when held frames were handled, so that the connection can be read again. */
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

  /** Counts the entries as unstored until `work` resolves. @param work must not reject. */
  storing(entries: number, work: Promise<void>): void {
    this.#unstored += entries
    work.then(() => {
      this.#unstored -= entries
      this.#takeHeld()
    })
  }

  /** Handles the held frames now, whatever is in progress. */
  takeAll(): void {
    for (const text of this.#held.splice(0)) this.#handle(text)
  }

  clear(): void {
    this.#held = []
  }

  get #isBusy(): boolean {
    return this.#steps > 0 || this.#unstored >= runtimeUnstoredMax
  }

  /** Handles held frames until one of them holds back the rest. */
  #takeHeld(): void {
    for (let text = this.#held[0]; text !== undefined && !this.#isBusy; text = this.#held[0]) {
      this.#held.shift()
      this.#handle(text)
    }
    this.#onOpen()
  }
}
