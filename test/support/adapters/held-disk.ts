import assert from 'node:assert/strict'
import { fdatasync } from 'node:fs'

type Done = (error: Error | null) => void

/** A disk whose syncs complete or fail only when the test says so. */
export class HeldDisk {
  readonly #waiting: { fd: number; done: Done }[] = []
  #waited: () => void = () => {}
  #isReleased = false

  readonly sync = (fd: number, done: Done): void => {
    this.#waiting.push({ fd, done })
    if (this.#isReleased) this.letThrough()
    else this.#waited()
  }

  async asked(): Promise<void> {
    while (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waited = resolve
      })
    }
  }

  get held(): number {
    return this.#waiting.length
  }

  async letNewestThrough(): Promise<void> {
    const { fd, done } = this.#waiting.pop() ?? assert.fail('no sync was asked for')
    await new Promise<void>((resolve) =>
      fdatasync(fd, (error) => {
        done(error)
        resolve()
      }),
    )
  }

  letThrough(): void {
    const { fd, done } = this.#waiting.shift() ?? assert.fail('no sync was asked for')
    fdatasync(fd, done)
  }

  fail(): void {
    const { done } = this.#waiting.shift() ?? assert.fail('no sync was asked for')
    done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  }

  /** Lets all syncs through, including later ones. */
  release(): void {
    this.#isReleased = true
    while (this.#waiting.length > 0) this.letThrough()
  }
}
