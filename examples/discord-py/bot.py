"""Posts each webhook to a channel: {"channel": "deploys", "text": "Version 7 is out"}."""

import asyncio
import logging
import os
import sys

import discord
from gatehouse_runtime import BotReport, Dead, Runtime, WebhookEvent
from gatehouse_runtime_discord import discord_reports

missing = [name for name in ("GATEHOUSE_URL", "GATEHOUSE_RUNTIME_KEY") if not os.environ.get(name)]
if missing:
    sys.exit(f"Set {' and '.join(missing)}.")

token = os.environ.get("DISCORD_TOKEN")
#: Channels to which webhooks may post.
channels = os.environ.get("CHANNELS", "deploys").split(",")


async def main() -> None:
    client = discord.Client(intents=discord.Intents(guilds=True))
    if token:
        await client.login(token)
        connection = asyncio.ensure_future(client.connect())
        await client.wait_until_ready()
    else:
        print("Without DISCORD_TOKEN, messages are printed here.", flush=True)

    async def on_webhook(event: WebhookEvent) -> None:
        try:
            channel, text = event.json()["channel"], event.json()["text"]
        except (ValueError, TypeError, KeyError):
            raise Dead('the body is not {"channel": "…", "text": "…"}') from None
        if channel not in channels:
            # A retry would fail too. After CHANNELS is corrected, the owner can replay the event.
            raise Dead(f"channel {channel} is not in CHANNELS")
        await post(client, channel, text)
        runtime.log(event.bot_id, "info", f"posted to {channel}")

    runtime = Runtime(
        url=os.environ["GATEHOUSE_URL"],
        key=os.environ["GATEHOUSE_RUNTIME_KEY"],
        instance="discord-py-example",
        agent="discord-py-example",
        on_webhook=on_webhook,
        heartbeat=discord_reports(lambda _: client)
        if token
        else lambda _: BotReport(ready=True, presence="online"),
    )
    runtime.leave_on_signals()
    print("Waiting for webhooks. Press Ctrl-C to stop.", flush=True)
    await runtime.run()
    if token:
        await client.close()
        await connection


async def post(client: discord.Client, name: str, text: str) -> None:
    """Posts to the first channel of this name. If posting fails, Gatehouse retries after 5 s, 30 s, 2 min …"""
    if not token:
        print(f"#{name}: {text}", flush=True)
        return
    channel = discord.utils.get(client.get_all_channels(), name=name, type=discord.ChannelType.text)
    if channel is None:
        raise LookupError(f"the bot is in no server with a channel {name}")
    # Webhooks must not ping everyone.
    await channel.send(text[:2_000], allowed_mentions=discord.AllowedMentions.none())


logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
asyncio.run(main())
