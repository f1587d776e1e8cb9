"""A bot that posts a line for each webhook to a chat channel's incoming webhook.

export GATEHOUSE_URL=http://localhost:3001 GATEHOUSE_RUNTIME_KEY=svc_rk_…
INCOMING_WEBHOOK_URL=https://chat.example.com/hooks/… python example/bot.py
"""

import asyncio
import json
import logging
import os
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# Finds the package in a checkout of the repository, where it is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gatehouse_runtime import BotReport, Dead, Retry, Runtime, WebhookEvent  # noqa: E402

needed = ("GATEHOUSE_URL", "GATEHOUSE_RUNTIME_KEY", "INCOMING_WEBHOOK_URL")
missing = [name for name in needed if name not in os.environ]
if missing:
    sys.exit(f"Set {', '.join(missing)} in the environment.")

incoming_webhook_url = os.environ["INCOMING_WEBHOOK_URL"]
started_at_s = time.monotonic()


def post(content: str) -> None:
    """Posts to the channel. Blocks, so call it in a separate thread."""
    request = Request(
        incoming_webhook_url,
        data=json.dumps({"content": content}).encode(),
        headers={"Content-Type": "application/json", "User-Agent": "gatehouse-example-bot"},
    )
    try:
        with urlopen(request, timeout=30):
            pass
    except HTTPError as answer:
        if answer.code == 429:
            wait = answer.headers.get("Retry-After", "")
            raise Retry(after=int(wait) if wait.isdigit() else 10, error="rate limited by the channel") from answer
        if 400 <= answer.code < 500:
            # Retrying the same message would fail again.
            raise Dead(f"the channel responded with {answer.code}") from answer
        raise


async def on_webhook(event: WebhookEvent) -> None:
    await asyncio.to_thread(post, f"{event.bot_id} · {event.path} · {event.text()[:1_500]}")
    runtime.log(event.bot_id, "info", f"posted {event.path}")


def heartbeat(bot_id: str) -> BotReport:
    return BotReport(ready=True, presence="online", uptime_ms=int((time.monotonic() - started_at_s) * 1_000))


runtime = Runtime(
    url=os.environ["GATEHOUSE_URL"],
    key=os.environ["GATEHOUSE_RUNTIME_KEY"],
    instance="example-1",
    agent="gatehouse-example-bot",
    on_webhook=on_webhook,
    heartbeat=heartbeat,
)


async def main() -> None:
    runtime.leave_on_signals()
    await runtime.run()


logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
asyncio.run(main())
