import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ClientProcess } from '../../clients/conformance/client-case.ts'
import { FakeService, type FakeSession } from '../../clients/conformance/fake-service.ts'
import { eventually } from '../support/eventually.ts'
import { python } from '../support/python.ts'

const clients = join(import.meta.dirname, '../../clients')

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
  ['new RangeError("odd")', 'IndexError("odd")', /odd/],
  ['"odd"', 'Odd("odd")', /odd/],
  ['null', 'GeneratorExit("odd")', /null|odd/],
  ['undefined', 'asyncio.CancelledError()', /undefined|cancelled/],
  ['Symbol("odd")', 'BaseException("odd")', /odd/],
  ['Object.create(null)', 'Mute()', /null|Mute/],
  ['Object.defineProperty(new Error(), "message", { get: fail })', 'Mute()', /./],
] as const

const typescript = (reports: string[], logs: string[], messages: string[], errors: string[]) => `
import { connect } from ${JSON.stringify(join(clients, 'typescript/src/runtime.ts'))}
const fail = (error) => { throw error }
const reports = [${reports.map((one) => `() => ${one}`)}]
const logs = [${logs.map((one) => `() => ${one}`)}]
const messages = [${messages.map((one) => `() => (${one})`)}]
const errors = [${errors.map((one) => `() => ${one}`)}]
const runtime = connect({
  url: process.env.GATEHOUSE_URL, key: 'svc_rk_one', instance: 'one',
  bots: ['lantern', 'x'.repeat(65), 'a\\n', 7],
  heartbeat: (botId) => (botId === 'lantern' ? { ready: true } : reports[Number(botId.slice(2))]()),
  onWebhook(event, { log }) {
    const [kind, index] = event.path.split('-')
    if (kind === 'log') runtime.log(...logs[index]())
    if (kind === 'message') log('info', messages[index]())
    if (kind === 'error') throw errors[index]()
  },
})
process.once('SIGTERM', () => runtime.leave())
await runtime.ended
`

const pythonProgram = (reports: string[], logs: string[], messages: string[], errors: string[]) => `
import asyncio, os, signal
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

def heartbeat(bot_id):
    return BotReport(True) if bot_id == "lantern" else reports[int(bot_id[2:])]()
def on_webhook(event):
    kind, _, index = event.path.partition("-")
    if kind == "log": runtime.log(*logs[int(index)]())
    if kind == "message": runtime.log(event.bot_id, "info", messages[int(index)]())
    if kind == "error": fail(errors[int(index)]())
runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=on_webhook, heartbeat=heartbeat,
    bots=["lantern", "x" * 65, "a\\n", 7],
)
async def main():
    runtime.leave_on_signals()
    await runtime.run()
asyncio.run(main())
`

const languages = [
  {
    name: 'TypeScript',
    program: typescript,
    column: 1,
    command: () => [process.execPath, '--input-type=module', '-e'],
  },
  { name: 'Python', program: pythonProgram, column: 2, command: () => [python(), '-c'] },
] as const

for (const { name, program, column, command } of languages) {
  const start = async (t: TestContext) => {
    const service = await FakeService.open()
    t.after(() => service.stop())
    const of = (rows: readonly (readonly unknown[])[], at: number) => rows.map((row) => String(row[at]))
    const text = program(of(reports, column), of(logs, column), of(messages, column - 1), of(errors, column - 1))
    const client = new ClientProcess([...command(), text], {
      GATEHOUSE_URL: service.url,
      PYTHONPATH: join(clients, 'python'),
      PYTHONWARNINGS: 'error',
    })
    t.after(() => client.kill())
    const session = await service.connection()
    session.hello()
    const ready = await session.next('ready')
    session.welcome({ bots: ['lantern', ...reports.map((_, index) => `b-${index}`)] })
    return { service, client, session, ready }
  }
  const says = (client: ClientProcess, words: RegExp) =>
    eventually(() => (words.test(client.output) ? true : undefined)).catch(() => assert.fail(client.output))
  const handles = (session: FakeSession) => session.acked(session.dispatch('ok'))

  describe(`our choice: the ${name} client checks what the bot's code passes, and keeps all other bots hosted`, () => {
    test('a wrong report is not sent, and the client says what is wrong with it', async (t) => {
      const { client, session } = await start(t)
      for (let beats = 0; beats < 3; beats += 1) {
        const { bots } = await session.next('heartbeat')
        assert.deepEqual(bots, [
          { botId: 'lantern', ready: true, presence: null, uptimeMs: null, guildCount: null, shardCount: null },
        ])
      }
      for (const [index, [title, , , words]] of reports.entries()) {
        const line = new RegExp(`\\bb-${index}\\b[\\s\\S]*?${words.source}`, words.flags)
        assert.match(client.output, line, title)
      }
      await handles(session)
    })

    test('bots with invalid IDs are not requested, and the client names them', async (t) => {
      const { client, ready, session } = await start(t)
      assert.deepEqual(ready.bots, ['lantern'])
      await says(client, /bot not requested: a bot's ID has 1 to 64 characters, unlike 'x{50}/)
      await says(client, /bot not requested: a bot's ID has 1 to 64 characters, unlike 7/)
      await handles(session)
    })

    test('a wrong log entry is not sent, and the client says what is wrong with it', async (t) => {
      const { client, session } = await start(t)
      for (const [index, [, , , words]] of logs.entries()) {
        const event = session.dispatch(`log-${index}`)
        await (name === 'Python' ? session.nacked(event) : session.acked(event))
        await says(client, words)
      }
      await handles(session)
      assert.ok(!session.received.some(({ type }) => type === 'log'))
    })

    test('a log message of any type is sent as text', async (t) => {
      const { session } = await start(t)
      for (const [index, [, , words]] of messages.entries()) {
        await session.acked(session.dispatch(`message-${index}`))
        const { entries } = await session.next('log')
        assert.match(entries[0].message, words)
      }
    })

    test('whatever a handler raises fails the attempt once, with a text', async (t) => {
      const { client, session } = await start(t)
      for (const [index, [, , words]] of errors.entries()) {
        const { error } = await session.nacked(session.dispatch(`error-${index}`))
        assert.match(error, words)
      }
      await handles(session)
      await session.find(
        'no heartbeat without "working"',
        ({ type, working }) => type === 'heartbeat' && working.length === 0,
      )
      client.terminate()
      await session.next('bye')
      assert.equal(await client.exitCode('it did not leave'), 0)
    })
  })
}
