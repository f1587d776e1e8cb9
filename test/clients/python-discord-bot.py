"""A bot that uses discord.py and its adapter against a stand-in for Discord. Started by python-discord.test.ts."""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

import discord
import yarl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python"))

from gatehouse_runtime import Runtime, WebhookEvent  # noqa: E402
from gatehouse_runtime_discord import discord_reports, discord_webhooks  # noqa: E402

logging.basicConfig(level=logging.DEBUG)
discord.http.Route.BASE = os.environ["DISCORD_URL"]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_URL"].replace("http", "ws"))

sharded = os.environ.get("SHARDED")
bot = (discord.AutoShardedClient if sharded else discord.Client)(
    shard_count=2 if sharded else None,
    intents=discord.Intents(guilds=True),
    status=discord.Status.idle,
    max_messages=None,
    guild_ready_timeout=0.1,
)
clients = {"greeter": bot}


def say(**values: object) -> None:
    print(json.dumps(values), flush=True)


async def on_webhook(client: discord.Client, event: WebhookEvent) -> None:
    say(handled=event.text(), attempt=event.attempt, user=client.user.name)
    if event.text() == "busy":
        await client.change_presence(status=discord.Status.dnd)


async def main() -> None:
    runtime = Runtime(
        url=os.environ["GATEHOUSE_URL"],
        key=os.environ["GATEHOUSE_RUNTIME_KEY"],
        instance="one",
        on_webhook=discord_webhooks(clients.get, on_webhook),
        heartbeat=discord_reports(clients.get),
    )
    hosting = asyncio.ensure_future(runtime.run())
    report = discord_reports(clients.get)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    connecting = None
    async for line in commands:
        if line == b"connect\n":
            connecting = asyncio.ensure_future(bot.start("token"))
            while not bot.is_ready():
                await asyncio.sleep(0.02)
            say(ready=True)
        elif line == b"report\n":
            say(reported=report("greeter").ready, is_ready=bot.is_ready())
        elif line == b"leave\n":
            await runtime.leave()
            await bot.close()
            break
    await hosting
    if connecting is not None:
        await connecting


asyncio.run(main())
