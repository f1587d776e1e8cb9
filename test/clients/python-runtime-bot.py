"""A bot for tests that uses the Python client. Prints everything that happens as JSON, one object per line.

The last part of an event's path selects how the handler behaves. Commands on standard input: "finish" lets waiting handlers
return, "leave" leaves, "log" writes to the bot's log.
"""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python"))

from gatehouse_runtime import BotReport, Dead, Refused, Retry, Runtime, WebhookEvent  # noqa: E402

finish = None


def report(**what):
    print(json.dumps(what), flush=True)


async def on_webhook(event: WebhookEvent):
    report(
        event=event.id,
        attempt=event.attempt,
        botId=event.bot_id,
        flowId=event.flow_id,
        path=event.path,
        acceptedAt=event.accepted_at.isoformat(),
        headers=dict(event.headers),
        body=event.body.hex(),
    )
    action = event.path.split("/")[-1]
    if action == "fail":
        raise LookupError("no such order")
    if action == "retry":
        raise Retry(after=60, error="not yet")
    if action == "dead":
        raise Dead("never")
    if action == "wait":
        try:
            await finish.wait()
        except asyncio.CancelledError:
            report(cancelled=event.id)
            raise
    report(done=event.id)


def heartbeat(bot_id):
    if bot_id == "broken":
        raise RuntimeError("this bot cannot be asked")
    return BotReport(ready=True, presence="idle", uptime_ms=1_000, guild_count=2, shard_count=1)


async def read_commands(runtime, commands):
    while True:
        command = (await commands.readline()).decode().strip()
        if command == "finish":
            finish.set()
        elif command == "leave":
            asyncio.ensure_future(runtime.leave(timeout=float(os.environ.get("LEAVE_WITHIN", "30"))))
        elif command == "log":
            runtime.log("greeter", "warn", "the lamp is low")
        elif command == "":
            return


async def main():
    global finish
    finish = asyncio.Event()
    runtime = Runtime(
        url=os.environ["GATEHOUSE_URL"],
        key=os.environ["GATEHOUSE_RUNTIME_KEY"],
        instance="one",
        agent="test",
        on_webhook=on_webhook,
        heartbeat=heartbeat,
    )
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    reading = asyncio.ensure_future(read_commands(runtime, commands))
    try:
        await runtime.run()
        report(ended="left")
    except Refused as refused:
        report(ended="refused", code=refused.code, reason=refused.reason)
    reading.cancel()


logging.basicConfig(level=logging.DEBUG, format="%(name)s %(levelname)s %(message)s")
asyncio.run(main())
