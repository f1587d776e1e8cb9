"""A bot on the Python client that does what a test tells it, and prints what happens to it: one JSON object a line.

It works on an event as the last part of the path says, and takes orders on standard input: "finish" ends what waits,
"leave" leaves, "log" writes a line into the bot's log.
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


def tell(**what):
    print(json.dumps(what), flush=True)


async def on_webhook(event: WebhookEvent):
    tell(
        event=event.id,
        attempt=event.attempt,
        botId=event.bot_id,
        flowId=event.flow_id,
        path=event.path,
        acceptedAt=event.accepted_at.isoformat(),
        headers=dict(event.headers),
        body=event.body.hex(),
    )
    does = event.path.split("/")[-1]
    if does == "fail":
        raise LookupError("there is no such order")
    if does == "retry":
        raise Retry(after=60, error="not yet")
    if does == "dead":
        raise Dead("never")
    if does == "wait":
        try:
            await finish.wait()
        except asyncio.CancelledError:
            tell(cancelled=event.id)
            raise
    tell(done=event.id)


def heartbeat(bot_id):
    if bot_id == "broken":
        raise RuntimeError("this bot cannot be asked")
    return BotReport(ready=True, presence="idle", uptime_ms=1_000, guild_count=2, shard_count=1)


async def take_orders(runtime, orders):
    while True:
        order = (await orders.readline()).decode().strip()
        if order == "finish":
            finish.set()
        elif order == "leave":
            asyncio.ensure_future(runtime.leave(timeout=float(os.environ.get("LEAVE_WITHIN", "30"))))
        elif order == "log":
            runtime.log("greeter", "warn", "the lamp is low")
        elif order == "":
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
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    taking = asyncio.ensure_future(take_orders(runtime, orders))
    try:
        await runtime.run()
        tell(ended="left")
    except Refused as refused:
        tell(ended="refused", code=refused.code, reason=refused.reason)
    taking.cancel()


logging.basicConfig(level=logging.DEBUG, format="%(name)s %(levelname)s %(message)s")
asyncio.run(main())
