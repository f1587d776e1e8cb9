import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { ended } from '../support/gatehouse-process.ts'
import { serve } from '../support/local-server.ts'
import { startWithFakeService } from './client-program.ts'

const root = join(import.meta.dirname, '../..')

function start(t: TestContext, program: string, env: Record<string, string> = {}) {
  return startWithFakeService(t, 'Python', program, env)
}

/** Starts the program, and resolves once its session has begun. */
async function open(t: TestContext, program: string, env: Record<string, string> = {}) {
  const { service, client } = await start(t, program, env)
  return { service, client, session: await service.beating() }
}

const handlers = `
import asyncio, functools, os
from gatehouse_runtime import Runtime

def plain(event): pass
def returning(event): return [event]
async def coroutine(event): await asyncio.sleep(0)
async def with_prefix(prefix, event): await asyncio.sleep(0)
class Callable:
    async def __call__(self, event): await asyncio.sleep(0)
def exiting(event): raise SystemExit(3)
def interrupted(event): raise KeyboardInterrupt
def future(event): return asyncio.get_running_loop().run_in_executor(None, str)
handlers = {
    "plain": plain, "returning": returning, "coroutine": coroutine, "lambda": lambda event: coroutine(event),
    "partial": functools.partial(with_prefix, "a"), "object": Callable(), "method": Callable().__call__,
    "future": future, "exiting": exiting, "interrupted": interrupted,
}
runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=handlers[os.environ["HANDLER"]],
)
asyncio.run(runtime.run())
`

/** A handler that never finishes, and leaves little time for it. */
const slow = `
import asyncio, logging, os, signal
from gatehouse_runtime import Runtime
logging.basicConfig(level=logging.DEBUG)
stubborn = []
async def handle(event):
    runtime.log(event.bot_id, "info", f"started {event.id}")
    if event.path == "ok":
        return stubborn.pop().set_result(None)
    try:
        await asyncio.sleep(3_600)
    except asyncio.CancelledError:
        print(f"cancelled {event.id}", flush=True)
        if event.path != "stubborn":
            raise
        stubborn.append(asyncio.get_running_loop().create_future())
        await stubborn[0]
runtime = Runtime(url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=handle)
async def main():
    runtime.leave_on_signals()
    leave = lambda: asyncio.ensure_future(runtime.leave(timeout=0.2))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leave)
    await runtime.run()
asyncio.run(main())
`

describe('our choice: the Python client takes any kind of handler, and survives what handlers raise', () => {
  for (const handler of ['plain', 'returning', 'coroutine', 'lambda', 'partial', 'object', 'method', 'future']) {
    test(`a handler of the kind "${handler}" finishes the event`, async (t) => {
      const { session } = await open(t, handlers, { HANDLER: handler })
      await session.acked(session.dispatch('ok'))
      await session.acked(session.dispatch('ok'))
      assert.ok(!session.received.some(({ type }) => type === 'nack'))
    })
  }

  for (const [handler, exit, words] of [
    ['exiting', 3, 'SystemExit: 3'],
    ['interrupted', 'SIGINT', 'KeyboardInterrupt: '],
  ] as const) {
    test(`a handler that ends the program ("${handler}") gives its event back first`, async (t) => {
      const { session, client } = await open(t, handlers, { HANDLER: handler })
      const { error } = await session.nacked(session.dispatch('ok'))
      assert.deepEqual([error, await client.exited], [words, exit])
    })
  }

  test('a generator as handler is refused when the runtime is created', async (t) => {
    const program = `
from gatehouse_runtime import Runtime
async def handle(event):
    yield event
Runtime(url="http://localhost", key="svc_rk_one", instance="one", on_webhook=handle)
`
    const { stderr } = await ended((await start(t, program)).client, 1)
    assert.match(stderr, /ValueError: on_webhook must be a function that handles an event, and no generator/)
  })
})

const withFailingTask = `
import asyncio, logging, os
from gatehouse_runtime import BotReport, Runtime
failures = 0
def heartbeat(bot_id):
    if failures == 0:
        raise LookupError("this bot can't be asked")
    return BotReport(ready=True)
class Failing(logging.Filter):
    def filter(self, record):
        global failures
        if "heartbeat failed" in record.getMessage() and failures == 0:
            failures += 1
            raise RuntimeError("the filter fails")
        return True
logging.basicConfig()
logging.getLogger("gatehouse_runtime").addFilter(Failing())
runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=print, heartbeat=heartbeat,
)
asyncio.run(runtime.run())
`

test('our choice: a background task of the Python client that fails is logged, and the session is replaced', async (t) => {
  const { service, client } = await open(t, withFailingTask)
  const { bots } = await (await service.beating()).next('heartbeat')
  assert.equal(bots.length, 1)
  await client.waitForOutput(/session failed\nTraceback[\s\S]+RuntimeError: the filter fails/)
  await client.waitForOutput('not connected: the session failed.')
})

/** Runs a program on an event loop without signal handlers, as on Windows. */
const withoutSignalHandlers = `
import asyncio, runpy, sys
def no(*_): raise NotImplementedError
asyncio.SelectorEventLoop.add_signal_handler = no
sys.argv = sys.argv[:1]
`

describe('our choice: the Python programs leave on SIGTERM and Ctrl-C, also where event loops have no signal handlers', () => {
  for (const file of [
    'clients/python/example/bot.py',
    'clients/python/conformance/bot.py',
    'examples/discord-py/bot.py',
  ]) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      test(`${file} leaves on ${signal}`, async (t) => {
        const program = `${withoutSignalHandlers}runpy.run_path(${JSON.stringify(join(root, file))}, run_name="__main__")`
        // discord.py warns about its own imports.
        const env = { INCOMING_WEBHOOK_URL: 'http://127.0.0.1:9/', PYTHONWARNINGS: 'default' }
        const { session, client } = await open(t, program, env)
        await session.next('heartbeat')
        client.signal(signal)
        await session.next('bye')
        await ended(client, 0)
      })
    }
  }

  test('a second Ctrl-C ends the program while a handler still runs', async (t) => {
    const { session, client } = await open(t, slow)
    await session.started(session.dispatch('slow'))
    client.signal('SIGINT')
    await session.next('credit')
    client.signal('SIGINT')
    await session.next('bye')
    assert.equal(await client.exited, 'SIGINT')
  })
})

describe('The Python client', () => {
  test('a handler is cancelled if its attempt is lost, and if leave() times out; the event is neither acked nor nacked, and the key never logged', async (t) => {
    const { session, client } = await open(t, slow)
    const event = session.dispatch('slow')
    await session.started(event)
    session.lost.push(event.delivery)
    await client.waitForOutput(`cancelled ${event.id}`)
    const again = session.dispatch('slow', { id: event.id, attempt: 2 })
    await eventually(() => session.startsOf(again) === 2 || undefined)
    client.signal('SIGTERM')
    await session.next('bye')
    const { stdout, stderr } = await ended(client, 0)
    assert.equal(stdout, `cancelled ${event.id}\n`.repeat(2))
    assert.ok(!session.received.some(({ type }) => type === 'ack' || type === 'nack'))
    assert.ok(stderr.includes('DEBUG') && !stderr.includes('svc_rk_one'))
  })

  test('a handler that finishes the event although it was cancelled does not run again', async (t) => {
    const { session, client } = await open(t, slow)
    const event = session.dispatch('stubborn')
    await session.started(event)
    session.lost.push(event.delivery)
    await client.waitForOutput(`cancelled ${event.id}`)
    const again = session.dispatch('stubborn', { id: event.id, attempt: 2 })
    session.dispatch('ok')
    await session.acked(again)
    assert.equal(session.startsOf(event), 1)
  })

  test('the example forwards each webhook to an incoming-webhook URL', async (t) => {
    const posted: unknown[] = []
    const INCOMING_WEBHOOK_URL = await serve(t, (_request, response, body) => {
      posted.push(JSON.parse(body))
      response.writeHead(204).end()
    })
    const file = join(root, 'clients/python/example/bot.py')
    const program = `import runpy, sys\nsys.argv = sys.argv[:1]\nrunpy.run_path(${JSON.stringify(file)}, run_name="__main__")`
    const { session } = await open(t, program, { INCOMING_WEBHOOK_URL })
    await session.acked(session.dispatch('hooks/ok'))
    assert.deepEqual(posted, [{ content: 'lantern · hooks/ok · hello' }])
  })
})
