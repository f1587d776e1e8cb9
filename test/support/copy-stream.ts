import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { advanceUntil } from './eventually.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the members it expects.
type Line = Record<string, any>

/** Requests a stream of copies of a bot's webhooks. Returns the response instead if the service refuses. */
export async function requestCopies(
  t: TestContext,
  { baseUrl, clock }: Pick<World, 'baseUrl' | 'clock'>,
  key: string,
  botId: string,
  more = {},
) {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const headers = { authorization: `Bearer ${key}`, ...more }
  const response = await fetch(`${baseUrl}/api/v1/bots/${botId}/copies`, { headers, signal: leaving.signal })
  if (!response.ok) return response
  const stream = {
    /** The lines that have arrived and that no test has taken yet. */
    unread: [] as Line[],
    /** Whether the service has ended the stream. */
    ended: false,
    /** Returns the next line. The clock advances until there is one. */
    next: (): Promise<Line> => advanceUntil(clock, () => stream.unread.shift()),
    async nextOf(member: 'hosting' | 'delivery' | 'refused') {
      for (;;) {
        const line = await stream.next()
        if (member in line) return line[member]
      }
    },
    leave: () => leaving.abort(),
  }
  const read = async () => {
    let rest = ''
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      stream.unread.push(...lines.map((line) => JSON.parse(line) as Line))
    }
  }
  const end = () => {
    stream.ended = true
  }
  read().then(end, end)
  return stream
}

/** Opens a stream and takes its first line, which says that copies have begun. */
export async function openCopies(...args: Parameters<typeof requestCopies>) {
  const stream = await requestCopies(...args)
  assert.ok(!(stream instanceof Response), 'the service refused the stream')
  assert.deepEqual(await stream.next(), { hosting: true })
  return stream
}
