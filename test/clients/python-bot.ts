import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { python } from '../support/python.ts'
import type { World } from '../support/world.ts'

type Printed = Record<string, unknown>

/** A bot that uses the Python client and runs in its own process. */
export class PythonBot {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #printed: Printed[] = []
  #stderr = ''
  readonly exited: Promise<number | null>

  constructor(t: TestContext, world: World, key: string, env: Record<string, string>, file: string) {
    this.#child = spawn(python(), [file], {
      env: { PATH: process.env.PATH, GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    createInterface(this.#child.stdout).on('line', (line) => this.#printed.push(JSON.parse(line)))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null)
    t.after(async () => {
      this.#child.kill('SIGKILL')
      await this.exited
    })
  }

  /** The client’s log at the most detailed level. */
  get log(): string {
    return this.#stderr
  }

  command(word: 'leave' | 'connect' | 'report'): void {
    this.#child.stdin.write(`${word}\n`)
  }

  /** Resolves once the bot has printed `count` objects with this member, and returns all of them. */
  prints(member: string, count = 1): Promise<Printed[]> {
    const printed = () => this.#printed.filter((one) => member in one)
    return eventually(() => (printed().length >= count ? printed() : undefined)).catch((error) => {
      throw new Error(`the bot did not print "${member}" ${count} times; its log: ${this.#stderr}`, { cause: error })
    })
  }

  count(member: string): number {
    return this.#printed.filter((one) => member in one).length
  }
}
