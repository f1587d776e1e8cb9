import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { advanceUntil } from './eventually.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the members it expects.
type Line = Record<string, any>

/** A client that reads copies of a bot's webhooks. */
export class CopyStream {
  /** The lines that have arrived and that no test has taken yet. */
  readonly unread: Line[] = []
  /** Whether the service has ended the stream. */
  ended = false
  readonly #world: Pick<World, 'clock'>
  readonly #leaving: AbortController

  constructor(world: Pick<World, 'clock'>, response: Response, leaving: AbortController) {
    this.#world = world
    this.#leaving = leaving
    this.#read(response).catch(() => {
      this.ended = true
    })
  }

  /** Opens a stream. Returns the response instead if the service refuses. */
  static async request(t: TestContext, world: Pick<World, 'baseUrl' | 'clock'>, key: string, botId: string, more = {}) {
    const leaving = new AbortController()
    t.after(() => leaving.abort())
    const headers = { authorization: `Bearer ${key}`, ...more }
    const response = await fetch(`${world.baseUrl}/api/v1/bots/${botId}/copies`, { headers, signal: leaving.signal })
    return response.ok ? new CopyStream(world, response, leaving) : response
  }

  /** Opens a stream and takes its first line, which says that copies have begun. */
  static async open(t: TestContext, world: Pick<World, 'baseUrl' | 'clock'>, key: string, botId: string) {
    const stream = await CopyStream.request(t, world, key, botId)
    assert.ok(stream instanceof CopyStream, 'the service refused the stream')
    assert.deepEqual(await stream.next(), { hosting: true })
    return stream
  }

  /** Returns the next line. The clock advances until there is one. */
  next(): Promise<Line> {
    return advanceUntil(this.#world.clock, () => this.unread.shift())
  }

  async nextOf(member: 'hosting' | 'delivery' | 'refused') {
    for (;;) {
      const line = await this.next()
      if (member in line) return line[member]
    }
  }

  leave(): void {
    this.#leaving.abort()
  }

  async #read(response: Response): Promise<void> {
    let rest = ''
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      this.unread.push(...lines.map((line) => JSON.parse(line) as Line))
    }
    this.ended = true
  }
}
