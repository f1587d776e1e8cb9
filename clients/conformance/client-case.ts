import { type ChildProcess, spawn } from 'node:child_process'
import type { FakeService } from './fake-service.ts'
import { fail, waitFor } from './wait-for.ts'

/** The fake service and the client under test, which connects to it. */
interface Stage {
  service: FakeService
  client: ClientProcess
}

export interface ClientCase {
  title: string
  /** @throws CaseFailure if the client misbehaves. The error describes what the client did. */
  run: (stage: Stage) => Promise<void>
}

/** The process of the client under test. Each case starts its own. */
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

  /** The last 10,000 characters of the process's output. */
  get output(): string {
    return this.#output
  }

  terminate(): void {
    this.#child.kill('SIGTERM')
  }

  async exitCode(otherwise: string): Promise<number> {
    const exit = await waitFor(
      () => {
        if (this.#fault !== undefined) fail(`the client can't be started: ${this.#fault.message}`)
        return this.#exit
      },
      (changed) => {
        this.#changed = changed
      },
      otherwise,
    )
    return exit.code ?? fail(`the client was ended by ${exit.signal}`)
  }

  async kill(): Promise<void> {
    if (this.#exit !== undefined || this.#fault !== undefined) return
    this.#child.kill('SIGKILL')
    await new Promise((resolve) => this.#child.once('exit', resolve))
  }
}
