import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { heartbeat, id, openScene, putBot, putNotice } from '../support/status-bot.ts'

describe('our choice: …/events', () => {
  test('the status stream sends all parts of the page first, then only changed parts, and a keep-alive event if nothing changes', async (t) => {
    // Keep-alive events are sent to all streams at once, at intervals that begin with the service.
    useOwnWorld(t)
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    assert.equal(stream.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const first = await stream.next('parts')
    assert.deepEqual(Object.keys(first), ['title', 'state', 'notice', 'facts', 'incidents', 'history'])
    assert.match(String(first.state), /Offline/)

    heartbeat(world)
    await world.clock.advance(1_000)
    const changed = await stream.next('parts')
    assert.deepEqual(Object.keys(changed), ['title', 'state', 'facts', 'history'])
    assert.equal(changed.title, 'Lantern: online · Gatehouse')

    heartbeat(world, { guildCount: 13 })
    await world.clock.advance(1_000)
    assert.deepEqual(Object.keys(await stream.next('parts')), ['facts'])
    await putNotice(world, 'Moving on Sunday')
    await world.clock.advance(1_000)
    assert.deepEqual(Object.keys(await stream.next('parts')), ['notice'])

    await world.clock.advance(15_000)
    assert.deepEqual(await stream.next('still'), {})
  })

  test('the status stream serves readers in different languages at the same time, each in the language of their page', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const german = { 'accept-language': 'de-AT, en;q=0.5' }
    const page = await (await ask(id, { headers: german })).text()
    const [inGerman, inEnglish] = [await events(t, ask, german), await events(t, ask)]
    const { state = '', title } = await inGerman.next('parts')
    assert.match(state, /Mit der Chat-Plattform verbunden\./)
    assert.equal(title, 'Lantern: online · Gatehouse')
    assert.ok(page.includes(state))
    assert.match((await inEnglish.next('parts')).state ?? '', /Connected to the chat platform\./)

    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(1_000)
    assert.match((await inGerman.next('parts')).state ?? '', /Hosting inaktiv/)
    assert.match((await inEnglish.next('parts')).state ?? '', /Hosting off/)
  })

  test('the status stream ends when the bot’s status is no longer public', async (t) => {
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    await stream.next('parts')
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    assert.deepEqual(await stream.next('gone'), {})
    assert.equal(await stream.ended(), '')
  })

  test('the status stream ends when the service stops', async (t) => {
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    await stream.next('parts')
    await world.restart()
    assert.equal(await stream.ended(), '')
  })

  test('one address can open at most 30 status streams at a time', async (t) => {
    const { world, ask } = await openScene(t)
    const open = await Promise.all(Array.from({ length: limits.statusStreamsPerAddress }, () => events(t, ask)))
    const refused = await ask(`${id}/events`)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
    assert.match(await refused.text(), /Too many requests/)
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    for (const stream of open) await stream.ended()
    await putBot(world)
    await (await events(t, ask)).next('parts')
  })
})

/** Opens a stream and reads it event by event. */
async function events(
  t: TestContext,
  ask: (path: string, init?: RequestInit) => Promise<Response>,
  headers: Record<string, string> = {},
) {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const answer = await ask(`${id}/events`, { signal: leaving.signal, headers })
  assert.equal(answer.status, 200)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let done = false
  const more = async () => {
    const read = await reader.read()
    done = read.done
    text += read.value ?? ''
  }
  return {
    answer,
    /** Returns the data of the next event. Asserts that the event has this name. */
    async next(name: string): Promise<Record<string, string>> {
      for (;;) {
        const found = /^(?:retry: \d+\n\n)?event: (\w+)\ndata: (.*)\n\n/.exec(text)
        if (found !== null) {
          text = text.slice(found[0].length)
          assert.equal(found[1], name)
          return JSON.parse(found[2]!)
        }
        assert.ok(!done, `the stream ended after ${text}`)
        await more()
      }
    },
    /** Reads to the end and returns the text after the last event. */
    async ended(): Promise<string> {
      while (!done) await more()
      return text
    },
  }
}
