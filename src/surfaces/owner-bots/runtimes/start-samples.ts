interface SampleValues {
  apiUrl: string
  portalUrl: string
  version: string
  botId: string
  key: string
}

export function startSamples(values: SampleValues): { language: string; code: string }[] {
  return [
    { language: 'Node', code: nodeCommands(values) },
    { language: 'Python', code: pythonCommands(values) },
    { language: 'CLI', code: listenCommands(values) },
  ]
}

function nodeCommands({ apiUrl, portalUrl, version, key }: SampleValues): string {
  return `npm install ${portalUrl}/packages/gatehouse-runtime-${version}.tgz
cat > bot.mjs <<'END'
import { hostname } from 'node:os'
import process, { env } from 'node:process'
import { connect } from '@gatehouse/runtime'

const runtime = connect({
  url: '${apiUrl}',
  key: env.GATEHOUSE_RUNTIME_KEY,
  instance: hostname(),
  heartbeat: () => ({ ready: true, presence: 'online' }),
  onWebhook: (event) => console.log(event.botId, event.path, event.text()),
})
process.once('SIGINT', () => runtime.leave())
await runtime.hosting()
console.log('Connected. Press Ctrl-C to stop.')
await runtime.ended
END
GATEHOUSE_RUNTIME_KEY=${key} node bot.mjs`
}

function pythonCommands({ apiUrl, portalUrl, version, key }: SampleValues): string {
  return `python3 -m venv .venv
.venv/bin/pip install ${portalUrl}/packages/gatehouse_runtime-${version}-py3-none-any.whl
cat > bot.py <<'END'
import asyncio
import contextlib
import logging
import os
import socket

from gatehouse_runtime import BotReport, Runtime


async def on_webhook(event):
    print(event.bot_id, event.path, event.text(), flush=True)


runtime = Runtime(
    url="${apiUrl}",
    key=os.environ["GATEHOUSE_RUNTIME_KEY"],
    instance=socket.gethostname(),
    on_webhook=on_webhook,
    heartbeat=lambda bot_id: BotReport(ready=True, presence="online"),
)
logging.basicConfig(level=logging.INFO)
with contextlib.suppress(KeyboardInterrupt):
    asyncio.run(runtime.run())
END
GATEHOUSE_RUNTIME_KEY=${key} .venv/bin/python bot.py`
}

function listenCommands({ apiUrl, portalUrl, version, botId, key }: SampleValues): string {
  return `npm install --global ${portalUrl}/packages/gatehouse-cli-${version}.tgz
GATEHOUSE_RUNTIME_KEY=${key} gatehouse listen --take --url ${apiUrl} --bot ${botId}`
}
