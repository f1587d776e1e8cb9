import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtPackages, version } from '../support/built-packages.ts'
import { python } from '../support/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache/mypy')

function run(words: readonly string[], env: Record<string, string>) {
  return spawnSync(python(), words, { env: { ...process.env, ...env }, encoding: 'utf8' })
}

/** Returns the variables with which Python finds mypy. Installs it from PyPI if this Python has none. */
function withMypy(): Record<string, string> {
  if (run(['-m', 'mypy', '--version'], {}).status === 0) return {}
  const env = { PYTHONPATH: cache }
  if (run(['-m', 'mypy', '--version'], env).status === 0) return env
  const installed = run(['-m', 'pip', 'install', '--quiet', '--no-compile', '--target', cache, 'mypy'], {})
  assert.equal(installed.status, 0, installed.stderr)
  return env
}

const usage = `
import asyncio

from gatehouse_runtime import BotReport, Dead, Refused, Retry, Runtime, WebhookEvent
from gatehouse_runtime_discord import discord_reports, discord_webhooks


class Client:
    async def send(self, text: str) -> None: ...


clients: dict[str, Client] = {}


async def on_webhook(event: WebhookEvent) -> None:
    if event.replay_of is not None:
        raise Dead("no replays")
    raise Retry(after=90)


def plain(event: WebhookEvent) -> None:
    print(event.body.decode(), event.headers["content-type"])


async def to_client(client: Client, event: WebhookEvent) -> None:
    await client.send(event.text())


async def main() -> None:
    for handler in (plain, on_webhook, discord_webhooks(clients.get, to_client)):
        runtime = Runtime(
            url="http://localhost:3001",
            key="svc_rk_none",
            instance="one",
            on_webhook=handler,
            heartbeat=lambda bot_id: BotReport(ready=True, presence="online", uptime_ms=1_000.5),
            bots=["lantern"],
        )
        runtime.log("lantern", "info", "started")
        runtime.leave_on_signals()
        try:
            await runtime.run()
        except Refused as refused:
            print(refused.code, refused.reason)
    Runtime(
        url="http://localhost:3001", key="k", instance="two", on_webhook=plain, heartbeat=discord_reports(clients.get)
    )


asyncio.run(main())
`

const mistakes = `
from gatehouse_runtime import BotReport, Runtime, WebhookEvent

async def heartbeat(bot_id: str) -> BotReport:
    return BotReport(ready="yes")

def handle(event: str) -> None: ...

Runtime(url="http://localhost", key="k", instance="one", on_webhook=handle)
Runtime(url="http://localhost", key="k", instance="one", on_webhook=print, heartbeat=heartbeat)
Runtime(url="http://localhost", key="k", instance="one")
`

test('our choice: a type checker reads the annotations of the installed Python client', async (t) => {
  const folder = temporaryFolder(t)
  const wheel = join(await builtPackages(), `gatehouse_runtime-${version}-py3-none-any.whl`)
  // Uses the system's pip: installing one takes longer than everything else here.
  const installed = run(['-m', 'venv', '--system-site-packages', '--without-pip', join(folder, 'venv')], {})
  assert.equal(installed.status, 0, installed.stderr)
  const venv = join(folder, 'venv/bin/python')
  const pip = spawnSync(venv, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', wheel], {
    encoding: 'utf8',
  })
  assert.equal(pip.status, 0, pip.stderr)
  writeFileSync(join(folder, 'usage.py'), usage)
  writeFileSync(join(folder, 'mistakes.py'), mistakes)
  const files = ['usage.py', 'mistakes.py'].map((file) => join(folder, file))
  const words = ['-m', 'mypy', '--strict', '--python-executable', venv, '--cache-dir', join(folder, 'cache')]
  const { stdout, stderr } = run([...words, ...files], withMypy())
  const errors = [...stdout.matchAll(/^(?:\S*\/)?(\w+\.py):(\d+): error/gm)].map(([, ...where]) => where.join(' '))
  const found = [5, 9, 10, 11].map((line) => `mistakes.py ${line}`)
  assert.deepEqual(errors, found, stdout + stderr)
})
