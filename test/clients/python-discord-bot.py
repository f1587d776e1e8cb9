"""A bot that uses discord.py and its adapter against a stand-in for Discord. Started by python-discord.test.ts."""

import asyncio
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import discord
import yarl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python"))

from gatehouse_runtime import Retry  # noqa: E402
from gatehouse_runtime_discord import discord_reports, discord_webhooks  # noqa: E402

discord.http.Route.BASE = os.environ["DISCORD_URL"]
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_URL"].replace("http", "ws"))

bot = getattr(discord, os.environ["CLIENT"])(
    shard_count=int(os.environ["SHARD_COUNT"]),
    intents=discord.Intents(guilds=True),
    status=discord.Status.idle,
    max_messages=None,
    guild_ready_timeout=0.1,
)
clients = {"greeter": bot}


handled: list[str] = []
connecting: list[asyncio.Future[None]] = []


async def handle(client: discord.Client, event: SimpleNamespace) -> None:
    await client.change_presence(status=discord.Status.dnd)
    handled.append(f"{event.id} by {client.user.name}")


report = discord_reports(clients.get)
on_webhook = discord_webhooks(clients.get, handle)


async def answer(command: str) -> object:
    """Reports the bot's state, connects the bot, or handles a webhook whose ID is the command."""
    if command == "report":
        return {**vars(report("greeter")), "is_ready": bot.is_ready()}
    if command == "connect":
        connecting.append(asyncio.ensure_future(bot.start("token")))
        while not bot.is_ready():
            if connecting[0].done():
                connecting[0].result()  # raises why it could not connect
            await asyncio.sleep(0.02)
        return "ready"
    try:
        await on_webhook(SimpleNamespace(bot_id="greeter", id=command))
        return handled
    except Retry as retry:
        return str(retry)


async def main() -> None:
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    number = 0
    async for line in commands:
        number += 1
        print(f"{number}: {json.dumps(await answer(line.decode().strip()))}", flush=True)


asyncio.run(main())
