"""Connects bots that use discord.py to a :class:`gatehouse_runtime.Runtime`.

    clients = {"lantern": lantern}  # a discord.Client per bot ID

    async def on_webhook(client: discord.Client, event: WebhookEvent) -> None:
        await client.get_channel(channel_id).send(event.text())

    runtime = Runtime(
        url=api_url,
        key=runtime_key,
        instance="eu-1",
        on_webhook=discord_webhooks(clients.get, on_webhook),
        heartbeat=discord_reports(clients.get),
    )
    await asyncio.gather(runtime.run(), lantern.start(bot_token))

It needs discord.py 2.0 or later, or a fork with the same ``Client``, but doesn't import it.
"""

from __future__ import annotations

import inspect
import time
from typing import Any, Awaitable, Callable, Optional, Union
from weakref import WeakKeyDictionary

from gatehouse_runtime import BotReport, Retry, WebhookEvent

__all__ = ["discord_reports", "discord_webhooks"]

#: Returns a bot's ``discord.Client`` by bot ID, or None if the bot isn't running here.
ClientOf = Callable[[str], Optional[Any]]

#: discord.py reports invisible bots as ``offline``.
_PRESENCES = {"online": "online", "idle": "idle", "dnd": "dnd", "invisible": "invisible", "offline": "invisible"}


def discord_reports(client_of: ClientOf) -> Callable[[str], Optional[BotReport]]:
    """Returns a ``heartbeat`` function that reads discord.py clients.

    discord.py doesn't say since when a client is ready, so the uptime counts from the first heartbeat that finds it
    ready. A client that isn't running here is not reported.
    """
    ready_since_s: WeakKeyDictionary[Any, float] = WeakKeyDictionary()

    def report(bot_id: str) -> Optional[BotReport]:
        client = client_of(bot_id)
        if client is None:
            return None
        if not _is_connected(client):
            ready_since_s.pop(client, None)
            return BotReport(ready=False)
        now_s = time.monotonic()
        return BotReport(
            ready=True,
            presence=_PRESENCES.get(_status(client)),
            uptime_ms=int((now_s - ready_since_s.setdefault(client, now_s)) * 1_000),
            guild_count=len(client.guilds),
            shard_count=client.shard_count or 1,
        )

    return report


def discord_webhooks(
    client_of: ClientOf, handler: Callable[[Any, WebhookEvent], Union[Awaitable[Any], None]]
) -> Callable[[WebhookEvent], Awaitable[None]]:
    """Returns an ``on_webhook`` function that passes each event to ``handler`` with the client of its bot.

    While that client isn't connected to Discord with all its shards, events are retried on the service's schedule.
    """

    async def on_webhook(event: WebhookEvent) -> None:
        client = client_of(event.bot_id)
        if client is None or not _is_connected(client):
            raise Retry(error="the bot is not connected to Discord")
        outcome = handler(client, event)
        if inspect.isawaitable(outcome):
            await outcome

    return on_webhook


def _is_connected(client: Any) -> bool:
    """``is_ready`` stays true while discord.py reconnects, so the sockets are checked too."""
    if client.is_closed() or not client.is_ready():
        return False
    shards = getattr(client, "shards", None)  # exists only on AutoShardedClient
    if shards:
        return not any(shard.is_closed() for shard in shards.values())
    return client.ws is not None and client.ws.open


def _status(client: Any) -> str:
    """Returns the status last set. ``change_presence`` stores it only in the bot's guild members, not in the client."""
    for guild in client.guilds:
        if guild.me is not None and str(guild.me.status) != "offline":
            return str(guild.me.status)
    return str(client.status)
