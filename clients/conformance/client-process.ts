import { type ChildProcess, spawn } from 'node:child_process'
import { fails, within } from './patience.ts'

/** The client under test: a command, started anew for each case. */
export class ClientProcess {
  readonly #child: ChildProcess
  #output = ''
  #exit: { code: number | null; signal: string | null } | undefined
  #fault: Error | undefined
  #changed: () => void = () => {}

  constructor([command = '', ...words]: readonly string[], env: Record<string, string>) {
    this.#child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text) => {
        this.#output = `${this.#output}${text}`.slice(-10_000)
      })
    }
    this.#child.on('error', (error) => {
      this.#fault = error
      this.#changed()
    })
    this.#child.on('exit', (code, signal) => {
      this.#exit = { code, signal }
      this.#changed()
    })
  }

  /** What it printed last. */
  get output(): string {
    return this.#output
  }

  /** Asks it to leave. */
  terminate(): void {
    this.#child.kill('SIGTERM')
  }

  /** Waits for its end and tells its exit code. */
  async exitCode(otherwise: string): Promise<number> {
    const exit = await within(
      () => {
        if (this.#fault !== undefined) fails(`it can't be started: ${this.#fault.message}`)
        return this.#exit
      },
      (changed) => {
        this.#changed = changed
      },
      otherwise,
    )
    return exit.code ?? fails(`it was ended by ${exit.signal}`)
  }

  /** Ends it, if it still runs. */
  async kill(): Promise<void> {
    if (this.#exit !== undefined || this.#fault !== undefined) return
    this.#child.kill('SIGKILL')
    await new Promise((resolve) => this.#child.once('exit', resolve))
  }
}
