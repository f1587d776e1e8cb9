import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type FakeSession, heartbeatMs } from '../../clients/conformance/fake-service.ts'
import { eventually } from '../support/eventually.ts'
import { ended } from '../support/gatehouse-process.ts'
import { languages, startWithFakeService, typescriptClient } from './client-program.ts'

/** Values that a bot's code may pass by mistake: in TypeScript, in Python, and what the client says about them. */
type Row = readonly [title: string, typescript: string, python: string, says: RegExp]

const reports: readonly Row[] = [
  ['an unknown presence', '({ ready: true, presence: "streaming" })', 'BotReport(True, "streaming")', /presence/],
  ['a count as text', '({ ready: true, guildCount: "12" })', 'BotReport(True, guild_count="12")', /guild_?count/i],
  ['a negative count', '({ ready: true, shardCount: -1 })', 'BotReport(True, shard_count=-1)', /shard_?count/i],
  ['a count that is no number', '({ ready: true, uptimeMs: NaN })', 'BotReport(True, uptime_ms=nan)', /uptime_?ms/i],
  ['an infinite count', '({ ready: true, uptimeMs: Infinity })', 'BotReport(True, uptime_ms=inf)', /uptime_?ms/i],
  ['too large a count', '({ ready: true, uptimeMs: 1e16 })', 'BotReport(True, uptime_ms=10**16)', /uptime_?ms/i],
  ['true as a count', '({ ready: true, guildCount: true })', 'BotReport(True, guild_count=True)', /guild_?count/i],
  ['no "ready"', '({})', 'BotReport(None)', /ready/],
  ['a number as "ready"', '({ ready: 1 })', 'BotReport(1)', /ready/],
  ['a text', '"online"', '"online"', /must return|online/],
  ['a list', '[]', '[]', /ready|must return/],
  ['a dictionary', '({ ready: "yes" })', '{"ready": True}', /ready|must return/],
  ['a promise', '(async () => ({ ready: true }))()', 'later(BotReport(True))', /promise|async/],
  ['a promise that fails', 'Promise.reject(new Error("later"))', 'later(None)', /promise|async/],
  ['an error', 'fail(new Error("odd error"))', 'fail(LookupError("odd error"))', /odd error/],
  ['an error without text', 'fail(Object.create(null))', 'fail(Mute())', /heartbeat/],
  ['an exit of a coroutine', 'fail(undefined)', 'fail(GeneratorExit("odd exit"))', /heartbeat/],
  ['the result of a cancelled task', 'fail(null)', 'fail(asyncio.CancelledError())', /heartbeat/],
]

const logs: readonly Row[] = [
  ['an unknown level', '["lantern", "fatal", "m"]', '("lantern", "fatal", "m")', /level/],
  ['no level', '["lantern", undefined, "m"]', '("lantern", None, "m")', /level/],
  ['a bot ID of 65 characters', '["x".repeat(65), "info", "m"]', '("x" * 65, "info", "m")', /bot's ID/],
  ['an empty bot ID', '["", "info", "m"]', '("", "info", "m")', /bot's ID/],
  ['a bot ID with a line break', '["a\\n", "info", "m"]', '("a\\n", "info", "m")', /bot's ID/],
  ['a number as bot ID', '[7, "info", "m"]', '(7, "info", "m")', /bot's ID/],
]

/** Messages that are no text, and errors that handlers raise. */
const messages = [
  ['new Error("odd")', 'LookupError("odd")', /odd/],
  ['null', 'None', /null|None/],
  ['{ a: 1 }', '{"a": 1}', /a.*1/],
  ['"\\u0000\\ud800"', '"\\x00\\ud800"', /\uFFFD\uFFFD/],
] as const
const errors = [
  ['new RangeError("odd")', 'IndexError("odd")', /^(RangeError|IndexError): odd$/],
  ['"odd"', 'Odd("odd")', /odd/],
  ['null', 'GeneratorExit("odd")', /null|odd/],
  ['undefined', 'asyncio.CancelledError()', /undefined|cancelled/],
  ['Symbol("odd")', 'BaseException("odd")', /odd/],
  ['Object.create(null)', 'Mute()', /null|Mute/],
  ['Object.defineProperty(new Error(), "message", { get: fail })', 'Mute()', /./],
] as const

/**
 * A bot with these reports, entries, messages and errors. On the path "members", it logs the event. On "leave", it logs
 * as the body says, and leaves.
 */
const typescript = (reports: string[], logs: string[], messages: string[], errors: string[]) => `
import { connect } from ${typescriptClient}
const fail = (error) => { throw error }
const reports = [${reports.map((one) => `() => ${one}`)}]
const logs = [${logs.map((one) => `() => ${one}`)}]
const messages = [${messages.map((one) => `() => (${one})`)}]
const errors = [${errors.map((one) => `() => ${one}`)}]
const runtime = connect({
  url: process.env.GATEHOUSE_URL, key: 'svc_rk_one', instance: 'one',
  bots: ['lantern', 'x'.repeat(65), 'a\\n', 7],
  heartbeat: (botId) => (botId === 'lantern' ? { ready: true } : reports[Number(botId.slice(2))]()),
  onWebhook(event, { log, retryIn }) {
    const [kind, index] = event.path.split('-')
    if (kind === 'log') runtime.log(...logs[index]())
    if (kind === 'message') log('info', messages[index]())
    // A reason that the handler doesn't give must not hide the error.
    if (kind === 'error') retryIn(5_000)
    if (kind === 'error') throw errors[index]()
    if (kind === 'members') {
      const { id, attempt, botId, flowId, acceptedAt, clientIp, replayOf, test, headers, body } = event
      const members = [acceptedAt.toISOString(), id, attempt, botId, flowId, event.path, clientIp, replayOf, test, headers]
      log('info', JSON.stringify([...members, Buffer.from(body).toString('hex')]))
    }
    if (kind !== 'leave') return
    for (let at = 0; at < Number(event.text()); at += 1) log('info', String(at).padEnd(4_096, '€'))
    runtime.leave()
  },
})
process.once('SIGTERM', () => runtime.leave())
await runtime.ended
`

const pythonProgram = (reports: string[], logs: string[], messages: string[], errors: string[]) => `
import asyncio, json, os
from math import inf, nan
from gatehouse_runtime import BotReport, Runtime

class Odd(BaseException): pass
class Mute(Exception):
    def __str__(self): raise self
def fail(error): raise error
async def later(value): return value
reports = [${reports.map((one) => `lambda: ${one}`)}]
logs = [${logs.map((one) => `lambda: ${one}`)}]
messages = [${messages.map((one) => `lambda: ${one}`)}]
errors = [${errors.map((one) => `lambda: ${one}`)}]
leaving = []

def heartbeat(bot_id):
    return BotReport(True) if bot_id == "lantern" else reports[int(bot_id[2:])]()
def on_webhook(event):
    kind, _, index = event.path.partition("-")
    if kind == "log": runtime.log(*logs[int(index)]())
    if kind == "message": runtime.log(event.bot_id, "info", messages[int(index)]())
    if kind == "error": fail(errors[int(index)]())
    if kind == "members":
        members = [event.accepted_at.isoformat(), event.id, event.attempt, event.bot_id, event.flow_id, event.path]
        members += [event.client_ip, event.replay_of, event.test, dict(event.headers), event.body.hex()]
        runtime.log(event.bot_id, "info", json.dumps(members))
    if kind == "leave":
        for at in range(int(event.text())): runtime.log(event.bot_id, "info", str(at).ljust(4096, "€"))
        leaving.append(asyncio.ensure_future(runtime.leave()))
runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=on_webhook, heartbeat=heartbeat,
    bots=["lantern", "x" * 65, "a\\n", 7],
)
async def main():
    runtime.leave_on_signals()
    await runtime.run()
asyncio.run(main())
`

const textsOf = (rows: readonly (readonly unknown[])[], column: number) => rows.map((row) => String(row[column]))
const ofTypescript = [textsOf(reports, 1), textsOf(logs, 1), textsOf(messages, 0), textsOf(errors, 0)] as const
const ofPython = [textsOf(reports, 2), textsOf(logs, 2), textsOf(messages, 1), textsOf(errors, 1)] as const
const programs = { TypeScript: typescript(...ofTypescript), Python: pythonProgram(...ofPython) }

for (const name of languages) {
  const start = async (t: TestContext, hello: object = {}) => {
    const { service, client } = await startWithFakeService(t, name, programs[name])
    const session = await service.connection()
    session.hello(hello)
    const ready = await session.next('ready')
    session.welcome({ bots: ['lantern', ...reports.map((_, index) => `b-${index}`)] })
    return { client, session, ready }
  }
  const handles = (session: FakeSession) => session.acked(session.dispatch('ok'))

  test(`the handler of the ${name} client receives every member of the event`, async (t) => {
    const { session } = await start(t)
    const body = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index))
    const headers = { 'content-type': 'text/plain', 'x-request-id': 'r-1' }
    const more = { attempt: 2, acceptedAt: Date.UTC(2026, 0, 5, 12), replayOf: 'ev-one', test: true, headers }
    const { id } = session.dispatch('members-a/b', { ...more, body: body.toString('base64') })
    const { entries } = await session.next('log')
    const acceptedAt = { TypeScript: '2026-01-05T12:00:00.000Z', Python: '2026-01-05T12:00:00+00:00' }[name]
    const where = ['lantern', 'orders', 'members-a/b', '192.0.2.7']
    const members = [acceptedAt, id, 2, ...where, 'ev-one', true, headers, body.toString('hex')]
    assert.deepEqual(JSON.parse(entries[0].message), members)
  })

  describe(`our choice: the ${name} client checks what the bot's code passes, and keeps all other bots hosted`, () => {
    test('a wrong report is not sent, and the client says what is wrong with it', async (t) => {
      const { client, session } = await start(t, { heartbeatMs })
      for (let beats = 0; beats < 3; beats += 1) {
        const { bots } = await session.next('heartbeat')
        assert.deepEqual(bots, [
          { botId: 'lantern', ready: true, presence: null, uptimeMs: null, guildCount: null, shardCount: null },
        ])
      }
      for (const [index, [title, , , words]] of reports.entries()) {
        const line = new RegExp(`\\bb-${index}\\b[\\s\\S]*?${words.source}`, words.flags)
        assert.match(client.stderr(), line, title)
      }
      await handles(session)
    })

    test('bots with invalid IDs are not requested, and the client names them', async (t) => {
      const { client, ready, session } = await start(t)
      assert.deepEqual(ready.bots, ['lantern'])
      await client.waitForOutput(/bot not requested: a bot's ID has 1 to 64 characters, unlike 'x{50}/)
      await client.waitForOutput(/bot not requested: a bot's ID has 1 to 64 characters, unlike 7/)
      await handles(session)
    })

    test('a wrong log entry is not sent, and the client says what is wrong with it; a message of any type is sent as text', async (t) => {
      const { client, session } = await start(t)
      for (const [index, [, , , words]] of logs.entries()) {
        const event = session.dispatch(`log-${index}`)
        await (name === 'Python' ? session.nacked(event) : session.acked(event))
        await client.waitForOutput(words)
      }
      await handles(session)
      assert.ok(!session.received.some(({ type }) => type === 'log'))

      for (const [index, [, , words]] of messages.entries()) {
        await session.acked(session.dispatch(`message-${index}`))
        const { entries } = await session.next('log')
        assert.match(entries[0].message, words)
      }
    })

    test('whatever a handler raises fails the attempt once, with a text', async (t) => {
      const { client, session } = await start(t, { heartbeatMs })
      for (const [index, [, , words]] of errors.entries()) {
        const { error } = await session.nacked(session.dispatch(`error-${index}`))
        assert.match(error, words)
      }
      await handles(session)
      await session.find(
        'no heartbeat without "working"',
        ({ type, working }) => type === 'heartbeat' && working.length === 0,
      )
      client.signal('SIGTERM')
      await session.next('bye')
      await ended(client, 0)
    })
  })

  describe(`our choice: what the ${name} client says at the end`, () => {
    const leaveWith = (session: FakeSession, entries: number) =>
      session.dispatch('leave', { body: Buffer.from(String(entries)).toString('base64') })
    const numbersOf = ({ received }: FakeSession) =>
      received.flatMap(({ type, entries }) =>
        type === 'log' ? entries.map(({ message }: { message: string }) => Number.parseInt(message, 10)) : [],
      )

    test('a client that leaves sends all log entries first, also over a slow connection', async (t) => {
      const { client, session } = await start(t)
      session.hold()
      leaveWith(session, 1_000)
      // Until then, the connection takes no more.
      await eventually(() => (session.heldBytes > 0 ? true : undefined))
      session.release()
      await session.next('bye')
      assert.deepEqual(numbersOf(session), [...Array(1_000).keys()])
      await ended(client, 0)
    })

    test('of more than 1,000 waiting log entries the oldest are dropped, and the client says how many', async (t) => {
      const { client, session } = await start(t)
      leaveWith(session, 1_500)
      await session.next('bye')
      const numbers = numbersOf(session)
      assert.deepEqual([numbers.length, numbers.at(-1)], [1_000, 1_499])
      assert.match((await ended(client, 0)).stderr, /500 log entries dropped: log buffer full/)
    })

    test('after a protocol error the client names the fault that the service found, after a rejected key only that', async (t) => {
      const message = 'heartbeat/bots/0/presence: must be equal to constant'
      for (const [code, reason, says] of [
        [4_002, 'malformed', `protocol error.*${message}`],
        [4_001, 'the key has ended', 'key.*the key has ended'],
      ] as const) {
        const { client, session } = await start(t)
        session.send({ type: 'error', code: 'malformed', message })
        session.close(code, reason)
        assert.match((await ended(client, 1)).stderr, new RegExp(says))
      }
    })
  })
}
