"""Runtime client of Gatehouse: hosts bots, is handed their webhooks and says when each is done.

    async def on_webhook(event: WebhookEvent) -> None:
        print(event.bot_id, event.path, event.json())

    await Runtime(url=api_url, key=runtime_key, instance="eu-1", on_webhook=on_webhook).run()

Delivery is at least once: an event leaves the service's queue when the handler returns, and it is handed out again
when the handler raises, when its lease runs out or when this process dies. Use ``event.id``, which is the same over
all attempts and no other event's, where doing a thing twice would hurt.

Everything here belongs to one event loop; call it from the loop's thread.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import logging
import random
import re
import socket as sockets
import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Awaitable, Callable, Deque, Dict, FrozenSet, Iterable, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit, urlunsplit

from websockets.exceptions import ConnectionClosed, WebSocketException

_connect: Any
try:
    from websockets.asyncio.client import connect as _asyncio_connect

    _connect, _HEADERS = _asyncio_connect, "additional_headers"
except ImportError:  # websockets before 13
    from websockets.legacy.client import connect as _legacy_connect

    _connect, _HEADERS = _legacy_connect, "extra_headers"

__version__ = "0.1.0"
__all__ = ["BotReport", "Dead", "Refused", "Retry", "Runtime", "WebhookEvent"]

_SUBPROTOCOL = "gatehouse.runtime.v1"
_FRAME_MAX_BYTES = 2 * 1_048_576
_FIRST_FRAME_WITHIN_S = 10.0
_CLOSE_TIMEOUT_S = 2.0
#: Heartbeats that may go by unanswered before the connection counts as dead, as the service counts ours.
_SILENT_BEATS_MAX = 2.5
_BACK_OFF_FIRST_S = 0.5
_BACK_OFF_MAX_S = 30.0
_RETRY_MAX_S = 24 * 3600.0
_TEXT_MAX_CHARACTERS = 4_096
#: Control characters except tabs and line ends, and unpaired surrogates.
_REFUSED_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_LOGS_KEPT_MAX = 1_000
#: So many events are remembered as done; more cannot be in flight at once.
_DONE_KEPT_MAX = 1_024
#: A report takes less than 200 bytes: so many stay below a frame's limit.
_REPORTS_PER_FRAME = 5_000
#: A drain is left this much before its time is up, so that what was answered still arrives.
_DRAIN_MARGIN_S = 0.25
#: Entries of the longest messages still fit into one frame, however much of them is escaped.
_LOGS_PER_FRAME = 32
_LOG_LEVELS = ("debug", "info", "warn", "error")
_PRESENCES = ("online", "idle", "dnd", "invisible")

#: After these the service does not want the connection back.
_FINAL_CODES = {4001: "key refused", 4002: "protocol error", 4003: "replaced by a newer session of this instance"}

_logger = logging.getLogger("gatehouse_runtime")
# The library writes the request's headers, and so the key, at level DEBUG. It never gets to.
_socket_logger = logging.getLogger("gatehouse_runtime.socket")
_socket_logger.setLevel(logging.WARNING)


class Refused(Exception):
    """The service ended the session for good: connecting again as it is would not help.

    ``code`` is 4001 (key refused), 4002 (protocol error) or 4003 (a newer session of the same instance took over).
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {_FINAL_CODES[code]}" + (f": {reason}" if reason else ""))
        self.code = code
        self.reason = reason


class Retry(Exception):
    """Raised by a handler: the attempt failed, hand the event out again later.

    :param after: seconds until then, up to 24 hours; without it the service's own waits apply (5 s, 30 s, 2 min …).
    :param error: what the bot's owner reads about it.
    :raises ValueError: for an ``after`` outside its range.
    """

    def __init__(self, after: Optional[float] = None, error: str = "") -> None:
        if after is not None and not 0 <= after <= _RETRY_MAX_S:
            raise ValueError(f"after is {after}; it takes seconds from 0 to {_RETRY_MAX_S:.0f} (24 hours)")
        super().__init__(error or "to be tried again")
        self.after = after


class Dead(Exception):
    """Raised by a handler: trying again is of no use; the event becomes a dead letter, which its owner can replay."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


@dataclass(frozen=True)
class WebhookEvent:
    """One attempt at an accepted webhook."""

    #: The event's ID: the same for all its attempts and unique across bots. At most 78 of ``[A-Za-z0-9_-]``. With an
    #: earlier service, compare ``bot_id`` as well.
    id: str
    #: 1 for the first.
    attempt: int
    bot_id: str
    flow_id: str
    path: str
    #: When the service accepted it, in UTC.
    accepted_at: datetime
    client_ip: str
    #: ``content-type``, ``user-agent``, ``x-forwarded-for`` and ``x-request-id``, each as sent or absent.
    headers: Mapping[str, str]
    body: bytes
    #: The event that this one replays.
    replay_of: Optional[str] = None
    #: The trace context of this attempt (W3C Trace Context), where the service's operator collects traces: send it along
    #: with what is asked of others, and it is part of the same trace.
    traceparent: Optional[str] = None

    @property
    def _identity(self) -> Tuple[str, str]:
        """The event's key. Includes the bot, since earlier services could give events of two bots the same ID."""
        return self.bot_id, self.id

    def text(self) -> str:
        """The body as UTF-8; what is none becomes U+FFFD."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON.

        :raises ValueError: when it is none.
        """
        return json.loads(self.body)


@dataclass(frozen=True)
class BotReport:
    """How a bot is at this moment; what is not known is None.

    :raises ValueError: for a value that the service would refuse.
    """

    ready: bool
    #: "online", "idle", "dnd" or "invisible".
    presence: Optional[str] = None
    uptime_ms: Optional[int] = None
    guild_count: Optional[int] = None
    shard_count: Optional[int] = None

    def __post_init__(self) -> None:
        if not isinstance(self.ready, bool):
            raise ValueError(f"ready is {self.ready!r}; it takes True or False")
        if self.presence is not None and self.presence not in _PRESENCES:
            raise ValueError(f"presence is {self.presence!r}; it takes None or one of {', '.join(_PRESENCES)}")
        for name in ("uptime_ms", "guild_count", "shard_count"):
            count = getattr(self, name)
            if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
                raise ValueError(f"{name} is {count!r}; it takes None or a whole number from 0")


@dataclass(eq=False)
class _Work:
    """An event in hand, from its dispatch until its answer is sent or nobody waits for one."""

    event: WebhookEvent
    #: The attempt that its answer is for.
    delivery: str
    task: Optional[asyncio.Task[None]] = None
    #: The answer's frame once the handler has ended; it waits here while there is no session.
    answer: Optional[Dict[str, Any]] = None
    #: Nobody waits for an answer any more.
    abandoned: bool = False


class Runtime:
    """A bot runtime: one session after another with the service, for as long as :meth:`run` runs.

    :param url: the service's API address, such as ``https://api.example.com``; ``/runtime`` is added.
    :param key: a runtime key, ``svc_rk_…``. It is never logged.
    :param instance: names this process among those of the same key, and stays the same when it is started again: a
        second session of the same instance replaces the first.
    :param on_webhook: does the work of an event. It is awaited once for each event in hand, up to ``credit`` of them at
        a time. Returning acknowledges the event; :class:`Retry` and :class:`Dead` say what else to do; any other
        exception is a failed attempt. It is cancelled when the service has given the event to somebody else.
    :param heartbeat: how a bot is, asked for each hosted bot at each heartbeat. A bot for which it answers None, or
        without it, is not reported and so offline to the world.
    :param bots: the bots to host; None takes all that the key may host.
    :param credit: how many events may be in hand at once.
    :param agent: what this is, in a few words, for the service's operator.
    :raises ValueError: for a parameter that cannot be used.
    """

    def __init__(
        self,
        *,
        url: str,
        key: str,
        instance: str,
        on_webhook: Callable[[WebhookEvent], Awaitable[None]],
        heartbeat: Optional[Callable[[str], Optional[BotReport]]] = None,
        bots: Optional[Iterable[str]] = None,
        credit: int = 16,
        agent: str = f"gatehouse-runtime-python/{__version__}",
    ) -> None:
        self._url = _link_address(url)
        self._origin = self._url.replace("ws", "http", 1)[: -len(urlsplit(self._url).path)]
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("key is no runtime key; it takes one as it was shown when it was made, svc_rk_…")
        for name, value in (("instance", instance), ("agent", agent)):
            if not 1 <= len(value) <= 128 or not value.isprintable():
                raise ValueError(f"{name} takes 1 to 128 printable characters")
        if credit < 1:
            raise ValueError(f"credit is {credit}; it takes a whole number from 1")
        self._key = key
        self._instance = instance
        self._agent = agent
        self._on_webhook = on_webhook
        self._heartbeat = heartbeat
        self._wanted = None if bots is None else list(bots)
        self._credit = credit

        self._hosted: FrozenSet[str] = frozenset()
        self._work: Dict[Tuple[str, str], _Work] = {}  # by event
        self._done: Dict[Tuple[str, str], None] = {}  # events, oldest first
        self._logs: Deque[Dict[str, Any]] = deque(maxlen=_LOGS_KEPT_MAX)
        self._session: Optional[_Session] = None  # the one that hosts the bots at this moment
        self._loop_state: Optional[_LoopState] = None

    @property
    def bots(self) -> FrozenSet[str]:
        """The bots that are hosted at this moment; none while there is no session."""
        return self._hosted

    def log(self, bot_id: str, level: str, message: str) -> None:
        """Appends to the bot's log, which its owner reads. Returns at once.

        Without a session the last 1,000 lines wait for the next one.

        :param level: "debug", "info", "warn" or "error".
        :raises ValueError: for another level.
        """
        if level not in _LOG_LEVELS:
            raise ValueError(f"level is {level!r}; it takes one of {', '.join(_LOG_LEVELS)}")
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._logs.append({"botId": bot_id, "level": level, "message": _kept(message), "at": at})
        if self._loop_state is not None:
            self._loop_state.logs_waiting.set()

    async def run(self) -> None:
        """Hosts the bots until :meth:`leave`; connects again whenever the connection is lost.

        Cancelling it cancels the handlers and gives their events back at once, without a failed attempt.

        :raises Refused: when the service ends the session for good.
        """
        if self._loop_state is not None:
            raise RuntimeError("run() was called already; a Runtime runs once")
        state = self._loop_state = _LoopState()
        try:
            await self._run(state)
        except asyncio.CancelledError:
            await self._bye_at_once()
            raise
        finally:
            self._hosted = frozenset()
            if state.session is not None:
                state.session.cancel()
                await asyncio.wait({state.session})
            handlers = [work.task for work in self._work.values() if work.task is not None]
            self._abandon_all()
            if handlers:
                await asyncio.wait(handlers)
            state.ended.set()

    async def leave(self, timeout: float = 30.0) -> None:
        """Takes no further events, finishes those in hand, and says good-bye, so that the bots are offline at once.
        Then :meth:`run` returns.

        :param timeout: seconds after which handlers that still run are cancelled; their events go back to the queue
            without a failed attempt.
        """
        state = self._loop_state
        if state is None:
            return
        state.leaving.set()
        try:
            await asyncio.wait_for(state.ended.wait(), timeout)
        except asyncio.TimeoutError:
            self._abandon_all()
            await state.ended.wait()

    async def _run(self, state: _LoopState) -> None:
        failures = 0
        while not self._may_go(state):
            session = _Session(self, state)
            state.session = asyncio.ensure_future(session.run())
            await self._until_done_or_free_to_go(state, session, state.session)
            code, reason = state.session.result() if not state.session.cancelled() else (1000, "")
            state.session = None
            self._session = None
            if session.said_bye:
                return
            if code in _FINAL_CODES:
                raise Refused(code, session.last_error or reason)
            if session.proven:
                failures = 0
            whole_s = min(_BACK_OFF_MAX_S, _BACK_OFF_FIRST_S * 2 ** min(failures, 16))
            # A random half is taken off, so that many runtimes do not come back in step; all of it by those that move.
            wait_s = whole_s * (1 - random.random() / (1 if session.drained else 2))
            failures += 1
            if session.drained:
                _logger.info("the service asked to reconnect; connecting again in %.1f s", wait_s)
            else:
                closed = f"the service closed it ({code} {reason})"
                cause = (reason or "the connection was lost") if code == 1006 else closed
                _logger.warning("not connected: %s. Retrying in %.1f s.", cause, wait_s)
            await self._wait_or_free_to_go(state, wait_s)

    def _may_go(self, state: _LoopState) -> bool:
        return state.leaving.is_set() and not self._work

    async def _until_done_or_free_to_go(
        self, state: _LoopState, session: _Session, running: asyncio.Future[Tuple[int, str]]
    ) -> None:
        """A session that hosts says good-bye by itself; one that is still on its way there is given up."""
        going = asyncio.ensure_future(self._free_to_go(state))
        either: List[asyncio.Future[Any]] = [running, going]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not running.done() and not session.hosted:
                running.cancel()
            await asyncio.wait({running})
        finally:
            going.cancel()

    async def _wait_or_free_to_go(self, state: _LoopState, wait_s: float) -> None:
        try:
            await asyncio.wait_for(self._free_to_go(state), wait_s)
        except asyncio.TimeoutError:
            pass

    async def _free_to_go(self, state: _LoopState) -> None:
        await state.leaving.wait()
        await state.idle.wait()

    async def _bye_at_once(self) -> None:
        self._abandon_all()
        if self._session is not None:
            try:
                await asyncio.wait_for(self._session.bye(), _CLOSE_TIMEOUT_S)
            except (asyncio.TimeoutError, WebSocketException):
                pass  # the leases run out by themselves

    # What a session tells.

    def _welcomed(self, session: _Session, bots: Iterable[str]) -> None:
        self._session = session
        self._hosted = frozenset(bots)

    def _working(self) -> List[str]:
        return [work.delivery for work in self._work.values() if not work.abandoned]

    async def _take(self, delivery: str, event: WebhookEvent, session: _Session) -> None:
        before = self._work.get(event._identity)
        if before is not None and not before.abandoned:
            # The lease ran out while it was worked on: the work goes on, and answers for the new attempt.
            before.delivery = delivery
            return
        work = self._work[event._identity] = _Work(event, delivery)
        self._mark_idle()
        if event._identity in self._done:
            # Its acknowledgement was lost on the way.
            work.answer = {"type": "ack"}
            await self._answer(work, session)
            return
        work.task = asyncio.ensure_future(self._do(work, None if before is None else before.task))

    def _lose(self, deliveries: Iterable[str]) -> None:
        lost = set(deliveries)
        for work in [work for work in self._work.values() if work.delivery in lost]:
            _logger.warning("event %s was lost to somebody else; its handler is cancelled", work.event.id)
            self._abandon(work)

    def _abandon_all(self) -> None:
        for work in list(self._work.values()):
            self._abandon(work)

    def _abandon(self, work: _Work) -> None:
        work.abandoned = True
        if work.task is not None and not work.task.done():
            work.task.cancel()
        else:
            self._forget(work)

    def _forget(self, work: _Work) -> None:
        # A later attempt may stand in its place.
        if self._work.get(work.event._identity) is work:
            del self._work[work.event._identity]
        self._mark_idle()

    def _mark_idle(self) -> None:
        if self._loop_state is None:
            return
        if self._work:
            self._loop_state.idle.clear()
        else:
            self._loop_state.idle.set()

    async def _do(self, work: _Work, before: Optional[asyncio.Task[None]]) -> None:
        try:
            if before is not None:
                await asyncio.wait({before})  # its cancelled predecessor may be cleaning up
            nack = await self._attempt(work)
            if nack is None:
                work.answer = {"type": "ack"}
                self._remember_done(work.event)
            else:
                work.answer = {"type": "nack", **nack}
            if self._session is not None:
                await self._answer(work, self._session)
        finally:
            if work.abandoned:
                self._forget(work)

    def _remember_done(self, event: WebhookEvent) -> None:
        self._done[event._identity] = None
        while len(self._done) > _DONE_KEPT_MAX:
            del self._done[next(iter(self._done))]

    async def _attempt(self, work: _Work) -> Optional[Dict[str, Any]]:
        """None when the event is done, else the members of the ``nack``."""
        event = work.event
        try:
            await self._on_webhook(event)
            return None
        except Dead as dead:
            return {"dead": True, "error": _kept(str(dead))}
        except Retry as retry:
            retry_ms = {} if retry.after is None else {"retryMs": round(retry.after * 1_000)}
            return {"error": _kept(str(retry)), **retry_ms}
        except asyncio.CancelledError:
            if work.abandoned:
                raise
            return {"error": "the handler was cancelled"}
        except Exception as error:
            _logger.exception("attempt %d of event %s failed", event.attempt, event.id)
            return {"error": _kept(f"{type(error).__name__}: {error}")}

    async def _answer(self, work: _Work, session: _Session) -> None:
        """Sends the answer; where the connection is gone it waits for the next session, which keeps the lease."""
        answer = work.answer
        if answer is None or work.abandoned:
            return
        work.answer = None
        ack = answer["type"] == "ack"
        try:
            await session.send({**answer, **({"deliveries": [work.delivery]} if ack else {"delivery": work.delivery})})
        except ConnectionClosed:
            work.answer = answer
            return
        self._forget(work)


class _LoopState:
    """What :meth:`Runtime.run` waits on; made by it, since Python 3.9 ties such things to the loop they are made in."""

    def __init__(self) -> None:
        self.leaving = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()
        self.ended = asyncio.Event()
        self.logs_waiting = asyncio.Event()
        self.session: Optional[asyncio.Future[Tuple[int, str]]] = None


class _Session:
    """One connection, from its opening to its close."""

    def __init__(self, runtime: Runtime, state: _LoopState) -> None:
        self._runtime = runtime
        self._state = state
        self._socket: Any = None
        self._aides: List[asyncio.Future[None]] = []
        self._heartbeat_s: Optional[float] = None
        self._heard_at_s = 0.0
        #: Whether the service welcomed it.
        self.hosted = False
        self.said_bye = False
        #: Whether the service had answered a heartbeat: then it is there and well.
        self.proven = False
        #: Whether the service had asked to be left.
        self.drained = False
        #: What the service said was wrong.
        self.last_error = ""

    async def run(self) -> Tuple[int, str]:
        """Returns the close code and reason; 1006 when the connection was lost or never came to be."""
        runtime = self._runtime
        try:
            async with _connect(
                runtime._url,
                subprotocols=[_SUBPROTOCOL],
                compression=None,
                max_size=_FRAME_MAX_BYTES,
                close_timeout=_CLOSE_TIMEOUT_S,
                logger=_socket_logger,
                **{_HEADERS: {"Authorization": f"Bearer {runtime._key}"}},
            ) as socket:
                if socket.subprotocol != _SUBPROTOCOL:
                    return 1006, (
                        f"{runtime._origin} does not speak {_SUBPROTOCOL}; check the URL, and that client and service "
                        "have the same version"
                    )
                self._socket = socket
                self._heard_at_s = time.monotonic()
                self._aid(self._watch())
                try:
                    while True:
                        text = await socket.recv()
                        self._heard_at_s = time.monotonic()
                        await self._receive(text)
                finally:
                    if runtime._session is self:
                        runtime._session = None
                        runtime._hosted = frozenset()
                    for aide in self._aides:
                        aide.cancel()
        except ConnectionClosed as closed:
            return (1006, "connection lost") if closed.rcvd is None else (closed.rcvd.code, closed.rcvd.reason)
        except (OSError, asyncio.TimeoutError, WebSocketException) as error:
            return 1006, _why_no_connection(error, runtime._origin)

    async def send(self, frame: Dict[str, Any]) -> None:
        """:raises ConnectionClosed: when it cannot be sent any more."""
        await self._socket.send(json.dumps(frame, separators=(",", ":")))

    async def bye(self) -> None:
        self.said_bye = True
        await self.send({"type": "bye"})
        await self._socket.close()

    def _aid(self, work: Awaitable[None]) -> None:
        """Runs beside the reading, and ends with it."""

        async def aide() -> None:
            try:
                await work
            except ConnectionClosed:
                pass  # the reading hears of it, and tells

        self._aides.append(asyncio.ensure_future(aide()))

    async def _receive(self, text: Any) -> None:
        try:
            frame = json.loads(text)
            kind = frame["type"]
        except (ValueError, TypeError, KeyError):
            _logger.warning("a frame that is no JSON object with a type was ignored")
            return
        handler = getattr(self, f"_on_{kind}", None) if isinstance(kind, str) else None
        if handler is None:
            return  # of a newer service
        try:
            await handler(frame)
        except (KeyError, TypeError, ValueError, AttributeError):
            _logger.exception("a frame %r that cannot be read was ignored", kind)

    async def _on_hello(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        self._heartbeat_s = frame["heartbeatMs"] / 1_000
        ready: Dict[str, Any] = {
            "type": "ready",
            "instance": runtime._instance,
            "agent": runtime._agent,
            "credit": 0 if self._state.leaving.is_set() else runtime._credit,
            "working": runtime._working(),
        }
        if runtime._wanted is not None:
            ready["bots"] = runtime._wanted
        await self.send(ready)

    async def _on_welcome(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        for refused in frame.get("refused", []):
            _logger.warning("bot %s is not hosted: %s", refused.get("botId"), refused.get("reason"))
        runtime._lose(frame.get("lost", []))
        runtime._welcomed(self, frame["bots"])
        if runtime._hosted or runtime._wanted:
            _logger.info("hosting %d bots", len(runtime._hosted))
        else:
            _logger.warning("connected, but this key may host no bot whose hosting is on")
        if not self.hosted:
            self.hosted = True
            self._aid(self._beats())
            self._aid(self._logs())
            self._aid(self._leave())
        for work in list(runtime._work.values()):
            await runtime._answer(work, self)

    async def _on_bots(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        runtime._hosted = runtime._hosted.union(frame.get("add", [])).difference(frame.get("remove", []))
        await self._beat()

    async def _on_dispatch(self, frame: Dict[str, Any]) -> None:
        event = WebhookEvent(
            id=frame["id"],
            attempt=frame["attempt"],
            bot_id=frame["botId"],
            flow_id=frame["flowId"],
            path=frame["path"],
            accepted_at=datetime.fromtimestamp(frame["acceptedAt"] / 1_000, timezone.utc),
            client_ip=frame["clientIp"],
            headers=frame["headers"],
            body=base64.b64decode(frame["body"]),
            replay_of=frame.get("replayOf"),
            traceparent=frame.get("traceparent"),
        )
        # What comes behind the good-bye is given back by it.
        if not self.said_bye:
            await self._runtime._take(frame["delivery"], event, self)

    async def _on_heartbeat(self, frame: Dict[str, Any]) -> None:
        self.proven = True
        self._runtime._lose(frame.get("lost", []))

    async def _on_drain(self, frame: Dict[str, Any]) -> None:
        self.drained = True
        self._aid(self._drain(frame["inMs"] / 1_000 - _DRAIN_MARGIN_S))

    async def _on_error(self, frame: Dict[str, Any]) -> None:
        self.last_error = str(frame.get("message", ""))
        _logger.error("the service says: %s: %s", frame.get("code"), self.last_error)

    async def _drain(self, within_s: float) -> None:
        """Finishes what is in hand as far as the time goes; the rest is handed over to the next session."""
        try:
            await asyncio.wait_for(self._state.idle.wait(), within_s)
        except asyncio.TimeoutError:
            pass
        await self._socket.close()

    async def _leave(self) -> None:
        await self._state.leaving.wait()
        await self.send({"type": "credit", "n": 0})
        await self._state.idle.wait()
        await self.bye()

    async def _beats(self) -> None:
        assert self._heartbeat_s is not None
        while True:
            await self._beat()
            await asyncio.sleep(self._heartbeat_s)

    async def _beat(self) -> None:
        runtime = self._runtime
        bots = [self._report(bot_id) for bot_id in sorted(runtime._hosted)]
        reports = [report for report in bots if report is not None]
        await self.send({"type": "heartbeat", "bots": reports[:_REPORTS_PER_FRAME], "working": runtime._working()})
        for at in range(_REPORTS_PER_FRAME, len(reports), _REPORTS_PER_FRAME):
            await self.send({"type": "heartbeat", "bots": reports[at : at + _REPORTS_PER_FRAME], "working": []})

    def _report(self, bot_id: str) -> Optional[Dict[str, Any]]:
        if self._runtime._heartbeat is None:
            return None
        try:
            report = self._runtime._heartbeat(bot_id)
        except Exception:
            # One bot that cannot be reported must not take the leases of all with it.
            _logger.exception("the heartbeat of bot %s failed; it is not reported", bot_id)
            return None
        if report is None:
            return None
        return {
            "botId": bot_id,
            "ready": report.ready,
            "presence": report.presence,
            "uptimeMs": report.uptime_ms,
            "guildCount": report.guild_count,
            "shardCount": report.shard_count,
        }

    async def _logs(self) -> None:
        logs = self._runtime._logs
        while True:
            while logs:
                entries = [logs.popleft() for _ in range(min(_LOGS_PER_FRAME, len(logs)))]
                try:
                    await self.send({"type": "log", "entries": entries})
                except ConnectionClosed:
                    logs.extendleft(reversed(entries[: _LOGS_KEPT_MAX - len(logs)]))
                    raise
            self._state.logs_waiting.clear()
            await self._state.logs_waiting.wait()

    async def _watch(self) -> None:
        """Ends a connection that brings nothing any more."""
        while True:
            within_s = _FIRST_FRAME_WITHIN_S if self._heartbeat_s is None else self._heartbeat_s * _SILENT_BEATS_MAX
            left_s = self._heard_at_s + within_s - time.monotonic()
            if left_s <= 0:
                _logger.warning("nothing was heard for %.0f s; the connection is given up", within_s)
                await self._socket.close()
                return
            await asyncio.sleep(left_s)


def _link_address(url: str) -> str:
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"url is {url!r}; it takes the service's API address, such as https://api.example.com")
    path = "/runtime" if parts.path in ("", "/") else parts.path
    return urlunsplit((scheme, parts.netloc, path, "", ""))


def _why_no_connection(error: Exception, origin: str) -> str:
    # With several addresses of one host, asyncio only gives a text that names the errors.
    if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return f"nothing is listening at {origin}; check that the service runs, and that this is its API URL"
    if isinstance(error, sockets.gaierror):
        return f"unknown host in {origin}; check the URL"
    if isinstance(error, asyncio.TimeoutError):
        return f"{origin} does not respond"
    status = getattr(getattr(error, "response", None), "status_code", None) or getattr(error, "status_code", None)
    if status is not None:
        return (
            f"{origin} responds ({status}) without opening a WebSocket; check that this is the API URL of Gatehouse, "
            "and that proxies in between pass WebSockets on"
        )
    return f"{origin} can't be reached: {type(error).__name__}: {error}"


def _kept(text: str) -> str:
    """Cuts an error or log text to the length that the service keeps, and replaces the characters that it rejects."""
    return _REFUSED_CHARACTERS.sub("\ufffd", text[:_TEXT_MAX_CHARACTERS])
