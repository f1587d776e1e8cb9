"""The program that the conformance kit runs. clients/conformance/README.md describes what it must do for each path."""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gatehouse_runtime import BotReport, Dead, Refused, Retry, Runtime, WebhookEvent  # noqa: E402


async def on_webhook(event: WebhookEvent) -> None:
    if event.path == "echo":
        runtime.log(event.bot_id, "info", event.text())
    elif event.path == "json":
        runtime.log(event.bot_id, "info", json.dumps(event.json()))
    elif event.path == "trace":
        runtime.log(event.bot_id, "info", event.traceparent or "none")
    elif event.path == "slow":
        runtime.log(event.bot_id, "info", f"started {event.id}")
        await asyncio.sleep(0.7)
    elif event.path == "fail":
        raise RuntimeError("failed as asked")
    elif event.path == "fail-at-length":
        raise RuntimeError("x" * 3 * 1_048_576)
    elif event.path == "retry":
        raise Retry(after=1.234)
    elif event.path == "dead":
        raise Dead("not wanted")


runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"],
    key=os.environ["GATEHOUSE_RUNTIME_KEY"],
    instance="conformance",
    credit=4,
    on_webhook=on_webhook,
    heartbeat=lambda bot_id: BotReport(ready=True, presence="idle", uptime_ms=1_000, guild_count=7, shard_count=1),
)


async def main() -> int:
    runtime.leave_on_signals()
    try:
        await runtime.run()
        return 0
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1


logging.basicConfig(level=logging.INFO, format="%(message)s")
sys.exit(asyncio.run(main()))
