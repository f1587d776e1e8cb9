import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** Opens a stream of server-sent events, which ends with the test, and reads it event by event. */
export async function openEvents(t: TestContext, url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const answer = await fetch(url, { signal: leaving.signal, headers })
  assert.equal(answer.status, 200)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let done = false
  const more = async () => {
    const read = await reader.read()
    done = read.done
    text += read.value ?? ''
  }
  /** Returns the name and the data of the next event. */
  const event = async (): Promise<[string, Record<string, string>]> => {
    for (;;) {
      const [all, name = '', data = ''] = /^(?:retry: \d+\n\n)?event: (\w+)\ndata: (.*)\n\n/.exec(text) ?? []
      if (all !== undefined) {
        text = text.slice(all.length)
        return [name, JSON.parse(data)]
      }
      assert.ok(!done, `the stream ended after ${text}`)
      await more()
    }
  }
  return {
    answer,
    /** Returns the data of the next event. Asserts that the event has this name. */
    async next(name: string): Promise<Record<string, string>> {
      const [found, data] = await event()
      assert.equal(found, name)
      return data
    },
    /** Returns the data of the next event with this name. Events before it are skipped. */
    async nextOf(name: string): Promise<Record<string, string>> {
      for (;;) {
        const [found, data] = await event()
        if (found === name) return data
      }
    },
    /** Reads to the end and returns the text after the last event. */
    async ended(): Promise<string> {
      while (!done) await more()
      return text
    },
  }
}
