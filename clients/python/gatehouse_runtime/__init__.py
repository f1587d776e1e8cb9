"""Runtime client of Gatehouse: hosts bots, handles their webhooks and acknowledges them.

    async def on_webhook(event: WebhookEvent) -> None:
        print(event.bot_id, event.path, event.json())

    await Runtime(url=api_url, key=runtime_key, instance="eu-1", on_webhook=on_webhook).run()

Delivery is at least once. An event leaves the service's queue when the handler returns. It is redelivered when the
handler raises, when its lease expires or when this process dies. To deduplicate, use ``event.id``: it is unique, and
the same for all attempts.

Nothing here is thread-safe: call it from the event loop's thread.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import inspect
import json
import logging
import random
import re
import signal
import socket as sockets
import ssl
import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Awaitable, Callable, Deque, Dict, FrozenSet, Iterable, List, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit, urlunsplit

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException


class _Redirected(WebSocketException):
    """The service redirects. Redirects are not followed, because the key must not reach another server."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


_Connect: Any
try:
    from websockets.asyncio.client import connect as _asyncio_connect

    class _AsyncioConnect(_asyncio_connect):
        def process_redirect(self, exc: Exception) -> Exception:
            location = exc.response.headers.get("Location") if isinstance(exc, InvalidStatus) else None
            return exc if location is None else _Redirected(location)

    _Connect, _HEADERS = _AsyncioConnect, "additional_headers"
except ImportError:  # websockets before 13
    from websockets.legacy.client import connect as _legacy_connect

    class _LegacyConnect(_legacy_connect):
        def handle_redirect(self, uri: str) -> None:
            raise _Redirected(uri)

    _Connect, _HEADERS = _LegacyConnect, "extra_headers"

__version__ = "0.1.0"
__all__ = ["BotReport", "Dead", "Refused", "Retry", "Runtime", "WebhookEvent"]

_SUBPROTOCOL = "gatehouse.runtime.v1"
_FRAME_MAX_BYTES = 2 * 1_048_576
_FIRST_FRAME_WITHIN_S = 10.0
_CLOSE_TIMEOUT_S = 10.0
#: The connection counts as dead after this many heartbeat intervals without a frame. The service uses the same limit.
_SILENT_INTERVALS_MAX = 2.5
_BACK_OFF_FIRST_S = 0.5
_BACK_OFF_MAX_S = 30.0
_RETRY_MAX_S = 24 * 3600.0
_TEXT_MAX_CHARACTERS = 4_096
#: Characters that the service rejects: unpaired surrogates, and control characters except tabs and line breaks.
_REJECTED_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_LOGS_KEPT_MAX = 1_000
#: Maximum number of finished events remembered. It equals the highest credit that the service grants.
_FINISHED_MAX = 1_024
#: Maximum number of bot reports in a frame. A report takes less than 200 bytes, so they fit into a 2 MiB frame.
_REPORTS_PER_FRAME = 5_000
#: The connection is closed this long before a drain ends, so that the last outcomes still arrive.
_DRAIN_MARGIN_S = 0.25
#: Maximum number of log entries in a frame. Entries of maximum length fit into 2 MiB even with every character escaped.
_LOGS_PER_FRAME = 32
_BOT_ID = re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,64}")
_BOTS_MAX = 10_000
#: The largest count that the service takes.
_COUNT_MAX = 2**53 - 1
_LOG_LEVELS = ("debug", "info", "warn", "error")
_PRESENCES = ("online", "idle", "dnd", "invisible")

#: Close codes after which the client must not reconnect.
_FINAL_CODES = {4001: "key rejected", 4002: "protocol error", 4003: "replaced by a newer session of this instance"}

_REFUSED_BOTS = {
    "not_allowed": "this key may not host it",
    "hosting_off": "its hosting is off",
    "unknown": "there is no such bot",
}

_logger = logging.getLogger("gatehouse_runtime")
# At level DEBUG, the websockets library would log the request headers, which include the key.
_socket_logger = logging.getLogger("gatehouse_runtime.socket")
_socket_logger.setLevel(logging.WARNING)


class Refused(Exception):
    """The service ended the session permanently. Reconnecting would fail again.

    ``code`` is 4001 (key rejected), 4002 (protocol error) or 4003 (replaced by a newer session of this instance).
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {_FINAL_CODES[code]}" + (f": {reason}" if reason else ""))
        self.code = code
        self.reason = reason


class Retry(Exception):
    """Raise this in a handler to fail the attempt and request a retry.

    :param after: seconds until the retry, up to 24 hours. Defaults to the service's schedule (5 s, 30 s, 2 min …).
    :param error: message for the bot's owner.
    :raises ValueError: if ``after`` is out of range.
    """

    def __init__(self, after: Optional[float] = None, error: str = "") -> None:
        if after is not None and not 0 <= after <= _RETRY_MAX_S:
            raise ValueError(f"after must be 0 to {_RETRY_MAX_S:.0f} seconds (24 hours), not {after}")
        super().__init__(error or "retry requested")
        self.after = after


class Dead(Exception):
    """Raise this in a handler to make the event a dead letter. It is not retried, but its owner can replay it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


@dataclass(frozen=True)
class WebhookEvent:
    """One delivery attempt of an accepted webhook."""

    #: ID of the event, which is the same for all attempts and unique across bots. At most 78 characters of
    #: ``[A-Za-z0-9_-]``. With older versions of the service, compare ``bot_id`` as well.
    id: str
    #: 1-based number of the attempt.
    attempt: int
    bot_id: str
    flow_id: str
    path: str
    #: When the service accepted the webhook, in UTC.
    accepted_at: datetime
    client_ip: str
    #: ``content-type``, ``user-agent``, ``x-forwarded-for`` and ``x-request-id`` as sent. Headers not sent are absent.
    headers: Mapping[str, str]
    body: bytes
    #: ID of the original event, if the owner replayed it.
    replay_of: Optional[str] = None
    #: Whether a user sent it with the service's tester, past the flow's key and signature.
    test: bool = False
    #: Trace context of this attempt (W3C Trace Context), if the service's operator collects traces. Forward it in your
    #: own requests to make them part of the trace.
    traceparent: Optional[str] = None

    @property
    def _identity(self) -> Tuple[str, str]:
        """The event's key. Includes the bot: older services could give events for two bots the same ID."""
        return self.bot_id, self.id

    def text(self) -> str:
        """Decodes the body as UTF-8. Invalid bytes become U+FFFD."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Parses the body as JSON in UTF-8, with or without a byte order mark.

        :raises ValueError: if it is anything else.
        """
        try:
            return json.loads(self.body.decode("utf-8-sig"), parse_constant=_reject_constant)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the body is not JSON in UTF-8: {error}") from error


@dataclass(frozen=True)
class BotReport:
    """A bot's current state. Unknown values are None.

    :raises ValueError: for a value that the service would reject.
    """

    ready: bool
    #: "online", "idle", "dnd" or "invisible".
    presence: Optional[str] = None
    uptime_ms: Optional[float] = None
    guild_count: Optional[int] = None
    shard_count: Optional[int] = None

    def __post_init__(self) -> None:
        if not isinstance(self.ready, bool):
            raise ValueError(f"ready must be True or False, not {self.ready!r}")
        if self.presence is not None and self.presence not in _PRESENCES:
            raise ValueError(f"presence must be None or one of {', '.join(_PRESENCES)}, not {self.presence!r}")
        for name in ("uptime_ms", "guild_count", "shard_count"):
            count = getattr(self, name)
            if count is None:
                continue
            if isinstance(count, bool) or not isinstance(count, (int, float)) or not 0 <= count <= _COUNT_MAX:
                raise ValueError(f"{name} must be None or a number from 0, not {count!r}")


@dataclass(eq=False)
class _Work:
    """An event in flight, from dispatch until its outcome is sent or the event is abandoned."""

    event: WebhookEvent
    #: The attempt that the outcome applies to.
    delivery: str
    task: Optional[asyncio.Task[None]] = None
    #: The outcome as a frame, once the handler has finished. Kept while there is no session.
    answer: Optional[Dict[str, Any]] = None
    #: Whether the outcome must not be sent, because the attempt was lost or the runtime is ending.
    abandoned: bool = False


class Runtime:
    """A bot runtime. While :meth:`run` runs, it keeps a session with the service and reconnects if the session is lost.

    :param url: the service's API URL, such as ``https://api.example.com``; ``/runtime`` is added.
    :param key: a runtime key, ``svc_rk_…``. It is never logged.
    :param instance: name of this process among those of the same runtime. Keep it across restarts: a second session of
        the same instance replaces the first.
    :param on_webhook: handles an event. It is awaited for up to ``credit`` events at a time. A plain function blocks
        the event loop until it returns. Returning acknowledges the event. :class:`Retry` and :class:`Dead` request
        other outcomes; any other exception fails the attempt. The handler is cancelled if the attempt is lost.
    :param heartbeat: a plain function that returns a bot's state; called for each hosted bot on every heartbeat. If it
        is missing, fails, or returns None or a wrong value, nothing is reported and the bot counts as offline.
    :param bots: the bots to host. None means all that the key may host. Invalid IDs are logged and left out.
    :param credit: maximum number of events in flight.
    :param agent: name of this program, shown to the service's operator.
    :raises ValueError: for an invalid parameter.
    """

    def __init__(
        self,
        *,
        url: str,
        key: str,
        instance: str,
        on_webhook: Callable[[WebhookEvent], Union[Awaitable[Any], None]],
        heartbeat: Optional[Callable[[str], Optional[BotReport]]] = None,
        bots: Optional[Iterable[str]] = None,
        credit: int = 16,
        agent: str = f"gatehouse-runtime-python/{__version__}",
    ) -> None:
        self._url = _link_address(url)
        self._origin = self._url.replace("ws", "http", 1)[: -len(urlsplit(self._url).path)]
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("key is not a runtime key; pass it as it was shown when it was created, svc_rk_…")
        for name, value in (("instance", instance), ("agent", agent)):
            if not 1 <= len(value) <= 128 or not value.isprintable():
                raise ValueError(f"{name} must have 1 to 128 printable characters")
        generator = inspect.isgeneratorfunction(on_webhook) or inspect.isasyncgenfunction(on_webhook)
        if not callable(on_webhook) or generator:
            raise ValueError("on_webhook must be a function that handles an event, and no generator")
        if heartbeat is not None and not callable(heartbeat):
            raise ValueError("heartbeat must be a function")
        if isinstance(credit, bool) or not isinstance(credit, int) or credit < 1:
            raise ValueError(f"credit must be a positive whole number, not {credit}")
        self._key = key
        self._instance = instance
        self._agent = agent
        self._on_webhook = on_webhook
        self._heartbeat = heartbeat
        self._requested_bots = None if bots is None else _valid_bots(bots)
        self._credit = credit

        self._hosted: FrozenSet[str] = frozenset()
        self._work: Dict[Tuple[str, str], _Work] = {}  # events in flight
        self._done: Dict[Tuple[str, str], None] = {}  # finished events, oldest first
        self._logs: Deque[Dict[str, Any]] = deque(maxlen=_LOGS_KEPT_MAX)
        self._logs_dropped = 0
        self._session: Optional[_Session] = None  # the welcomed session, if any
        self._loop_state: Optional[_LoopState] = None
        self._leaving: Optional[asyncio.Future[None]] = None  # keeps a reference, as tasks need

    @property
    def bots(self) -> FrozenSet[str]:
        """The bots currently hosted. Empty while there is no session."""
        return self._hosted

    def log(self, bot_id: str, level: str, message: str) -> None:
        """Writes to the bot's log, which its owner can read. Returns immediately.

        While there is no session, the last 1,000 entries are kept for the next one.

        :param level: "debug", "info", "warn" or "error".
        :raises ValueError: for any other level, and for an invalid bot ID.
        """
        if not _is_bot_id(bot_id):
            raise ValueError(f"a bot's ID has 1 to 64 characters, unlike {bot_id!r:.80}")
        if level not in _LOG_LEVELS:
            raise ValueError(f"level must be one of {', '.join(_LOG_LEVELS)}, not {level!r}")
        if len(self._logs) == _LOGS_KEPT_MAX:
            self._logs_dropped += 1  # the oldest entry makes room
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._logs.append({"botId": bot_id, "level": level, "message": _truncated(str(message)), "at": at})
        if self._loop_state is not None:
            self._loop_state.logs_waiting.set()

    async def run(self) -> None:
        """Hosts the bots until :meth:`leave`. Reconnects whenever the connection is lost.

        Cancelling this task cancels the handlers. Their events return to the service, and the attempts are not counted.

        :raises Refused: if the service ends the session for good.
        """
        if self._loop_state is not None:
            raise RuntimeError("run() can only be called once per Runtime")
        state = self._loop_state = _LoopState()
        try:
            await self._run(state)
        except asyncio.CancelledError:
            await self._bye_now()
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
        """Accepts no new events, waits for handlers, and sends ``bye``, which takes the bots offline immediately.
        Then :meth:`run` returns.

        :param timeout: seconds after which running handlers are cancelled. Their events return to the service without
            counting an attempt.
        """
        state = self._loop_state
        if state is None:
            return
        state.leaving.set()
        try:
            await asyncio.wait_for(state.ended.wait(), timeout)
        except asyncio.TimeoutError:
            self._abandon_all()
            try:
                await asyncio.wait_for(state.ended.wait(), _CLOSE_TIMEOUT_S)
            except asyncio.TimeoutError:
                if self._session is not None:
                    self._session.abort()  # the connection is dead, and takes no further frames
                await state.ended.wait()

    def leave_on_signals(self) -> None:
        """Calls :meth:`leave` on SIGINT (Ctrl-C) or SIGTERM, even where event loops have no signal handlers (Windows).

        Call it in the main thread, from a coroutine. A second signal has the effect that it had before.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            self._leave_on(number, signal.getsignal(number), loop)

    def _leave_on(self, number: signal.Signals, before: Any, loop: asyncio.AbstractEventLoop) -> None:
        def leave_soon() -> None:
            self._leaving = asyncio.ensure_future(self.leave())

        def on_signal(*_: Any) -> None:
            signal.signal(number, before)
            loop.call_soon_threadsafe(leave_soon)

        signal.signal(number, on_signal)

    async def _run(self, state: _LoopState) -> None:
        failures = 0
        while not self._can_leave(state):
            session = _Session(self, state)
            state.session = asyncio.ensure_future(session.run())
            await self._until_session_ends(state, session, state.session)
            code, reason = state.session.result() if not state.session.cancelled() else (1000, "")
            state.session = None
            self._session = None
            if session.said_bye:
                return
            if code in _FINAL_CODES:
                # The service names a protocol error in a frame, and only its kind when it closes.
                raise Refused(code, (session.last_error if code == 4002 else "") or reason)
            if session.proven:
                failures = 0
            whole_s = min(_BACK_OFF_MAX_S, _BACK_OFF_FIRST_S * 2 ** min(failures, 16))
            # Jitter of up to half the delay, or all of it after a drain, keeps runtimes from reconnecting at the same
            # time.
            wait_s = whole_s * (1 - random.random() / (1 if session.drained else 2))
            failures += 1
            if session.drained:
                _logger.info("the service asked to reconnect, reconnecting in %.1f s", wait_s)
            else:
                closed = f"the service closed the connection ({code}{reason and ', '}{reason})"
                cause = (reason or "the connection was lost") if code == 1006 else closed
                _logger.warning("not connected: %s. Retrying in %.1f s.", cause, wait_s)
            await self._sleep_unless_leaving(state, wait_s)

    def _can_leave(self, state: _LoopState) -> bool:
        return state.leaving.is_set() and state.idle.is_set()

    async def _until_session_ends(
        self, state: _LoopState, session: _Session, running: asyncio.Future[Tuple[int, str]]
    ) -> None:
        """Waits for the session to end. Cancels a session that is not welcomed yet when the runtime leaves."""
        leaving = asyncio.ensure_future(self._until_can_leave(state))
        either: List[asyncio.Future[Any]] = [running, leaving]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not running.done() and not session.hosted:
                running.cancel()
            await asyncio.wait({running})
        finally:
            leaving.cancel()

    async def _sleep_unless_leaving(self, state: _LoopState, wait_s: float) -> None:
        try:
            await asyncio.wait_for(self._until_can_leave(state), wait_s)
        except asyncio.TimeoutError:
            pass

    async def _until_can_leave(self, state: _LoopState) -> None:
        await state.leaving.wait()
        await state.idle.wait()

    async def _bye_now(self) -> None:
        self._abandon_all()
        if self._session is not None:
            try:
                await self._session.bye()
            except WebSocketException:
                pass  # the leases will expire

    # Methods that the session calls.

    def _welcomed(self, session: _Session, bots: Iterable[str]) -> None:
        self._session = session
        self._hosted = frozenset(bots)

    def _working(self) -> List[str]:
        return [work.delivery for work in self._work.values() if not work.abandoned]

    async def _accept(self, delivery: str, event: WebhookEvent, session: _Session) -> None:
        before = self._work.get(event._identity)
        if before is not None and not before.abandoned:
            # The lease expired while the handler was running. The outcome will apply to the new attempt.
            before.delivery = delivery
            return
        work = self._work[event._identity] = _Work(event, delivery)
        self._mark_idle()
        if event._identity in self._done:
            # An earlier attempt succeeded, but its acknowledgement was lost. Don't run the handler again.
            work.answer = {"type": "ack"}
            await self._answer(work, session)
            return
        work.task = asyncio.ensure_future(self._handle(work, None if before is None else before.task))

    def _drop_lost(self, deliveries: Iterable[str]) -> None:
        lost = set(deliveries)
        for work in [work for work in self._work.values() if work.delivery in lost]:
            _logger.warning("attempt lost, handler cancelled: event %s", work.event.id)
            self._abandon(work)

    def _abandon_all(self) -> None:
        for work in list(self._work.values()):
            self._abandon(work)

    def _abandon(self, work: _Work) -> None:
        if work.abandoned:
            return  # a second cancellation would interrupt the handler's cleanup
        work.abandoned = True
        if work.task is not None and not work.task.done():
            work.task.cancel()
            self._mark_idle()
        else:
            self._forget(work)

    def _forget(self, work: _Work) -> None:
        # Keep the entry if a later attempt of the event has replaced this one.
        if self._work.get(work.event._identity) is work:
            del self._work[work.event._identity]
        self._mark_idle()

    def _mark_idle(self) -> None:
        if self._loop_state is None:
            return
        if all(work.abandoned for work in self._work.values()):
            self._loop_state.idle.set()
        else:
            self._loop_state.idle.clear()

    async def _handle(self, work: _Work, before: Optional[asyncio.Task[None]]) -> None:
        exits: Optional[BaseException] = None
        try:
            if before is not None:
                await asyncio.wait({before})  # the cancelled handler of the lost attempt may still be cleaning up
            try:
                # The handler may have finished the event although it was cancelled.
                nack = None if work.event._identity in self._done else await self._attempt(work)
            except (KeyboardInterrupt, SystemExit) as error:
                exits, nack = error, {"error": _described(error)}
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
        if exits is not None:
            raise exits

    def _remember_done(self, event: WebhookEvent) -> None:
        self._done[event._identity] = None
        while len(self._done) > _FINISHED_MAX:
            del self._done[next(iter(self._done))]

    async def _attempt(self, work: _Work) -> Optional[Dict[str, Any]]:
        """Runs the handler. Returns the members of the ``nack``, or None if the event is done."""
        event = work.event
        try:
            outcome = self._on_webhook(event)
            if inspect.isawaitable(outcome):
                await outcome
            return None
        except Dead as dead:
            return {"dead": True, "error": _truncated(str(dead))}
        except Retry as retry:
            retry_ms = {} if retry.after is None else {"retryMs": round(retry.after * 1_000)}
            return {"error": _truncated(str(retry)), **retry_ms}
        except asyncio.CancelledError:
            if work.abandoned:
                raise
            return {"error": "the handler was cancelled"}
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            _logger.exception("attempt %d failed: event %s", event.attempt, event.id)
            return {"error": _described(error)}

    async def _answer(self, work: _Work, session: _Session) -> None:
        """Sends the outcome. If the connection is lost, keeps it for the next session, which also renews the lease."""
        answer = work.answer
        if answer is None or work.abandoned:
            return
        work.answer = None
        ack = answer["type"] == "ack"
        delivery: Dict[str, Any] = {"deliveries": [work.delivery]} if ack else {"delivery": work.delivery}
        try:
            await session.send({**answer, **delivery})
        except ConnectionClosed:
            work.answer = answer
            return
        self._forget(work)


class _LoopState:
    """asyncio events for :meth:`Runtime.run`, which creates them: Python 3.9 binds them to the current loop."""

    def __init__(self) -> None:
        self.leaving = asyncio.Event()
        #: Set while no event awaits its outcome. Cancelled handlers may still be cleaning up.
        self.idle = asyncio.Event()
        self.idle.set()
        self.ended = asyncio.Event()
        self.logs_waiting = asyncio.Event()
        self.session: Optional[asyncio.Future[Tuple[int, str]]] = None


class _Session:
    """One connection to the service."""

    def __init__(self, runtime: Runtime, state: _LoopState) -> None:
        self._runtime = runtime
        self._state = state
        self._socket: Any = None
        self._background_tasks: List[asyncio.Future[None]] = []
        self._heartbeat_s: Optional[float] = None
        self._received_at_s = 0.0
        #: Whether the service has welcomed this session.
        self.hosted = False
        self.said_bye = False
        #: Whether the service has answered a heartbeat, which proves that the connection worked.
        self.proven = False
        #: Whether the service has asked the runtime to move to a new connection.
        self.drained = False
        #: Message of the service's last ``error`` frame.
        self.last_error = ""
        #: Why the client itself ended the connection, if it did.
        self._given_up = ""
        #: Held while log entries are sent, so that ``bye`` follows the last of them.
        self._sending_logs = asyncio.Lock()

    async def run(self) -> Tuple[int, str]:
        """Returns the close code and reason. The code is 1006 if the connection was lost or never opened."""
        runtime = self._runtime
        try:
            async with _Connect(
                runtime._url,
                subprotocols=[_SUBPROTOCOL],
                compression=None,
                max_size=_FRAME_MAX_BYTES,
                close_timeout=_CLOSE_TIMEOUT_S,
                ping_interval=None,  # heartbeats show whether the service is there, and tolerate a busy event loop
                logger=_socket_logger,
                **{_HEADERS: {"Authorization": f"Bearer {runtime._key}"}},
            ) as socket:
                if socket.subprotocol != _SUBPROTOCOL:
                    return 1006, (
                        f"{runtime._origin} does not speak {_SUBPROTOCOL}; check the URL, and that client and service "
                        "have the same version"
                    )
                self._socket = socket
                self._received_at_s = time.monotonic()
                self._start_background(self._watch_for_silence())
                try:
                    while True:
                        text = await socket.recv()
                        self._received_at_s = time.monotonic()
                        await self._receive(text)
                finally:
                    if runtime._session is self:
                        runtime._session = None
                        runtime._hosted = frozenset()
                    for task in self._background_tasks:
                        task.cancel()
        except ConnectionClosed as closed:
            if self._given_up or closed.rcvd is None:
                return 1006, self._given_up or "connection lost"
            return closed.rcvd.code, closed.rcvd.reason
        except Exception as error:
            if not isinstance(error, (OSError, asyncio.TimeoutError, WebSocketException)):
                _logger.exception("connection failed")
            return 1006, _connection_failure(error, runtime._origin)

    async def send(self, frame: Dict[str, Any]) -> None:
        """:raises ConnectionClosed: if the connection is closed."""
        await self._socket.send(json.dumps(frame, separators=(",", ":")))

    async def bye(self) -> None:
        self.said_bye = True

        async def say() -> None:
            await self.send({"type": "bye"})
            await self._socket.close()

        try:
            await asyncio.wait_for(say(), _CLOSE_TIMEOUT_S)
        except asyncio.TimeoutError:
            self.abort()

    def _start_background(self, work: Awaitable[None]) -> None:
        """Starts a task that is cancelled when the session ends. If the task fails, the session ends too."""

        async def run() -> None:
            try:
                await work
            except ConnectionClosed:
                pass  # the receiving loop reports the lost connection
            except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
                raise
            except BaseException:
                _logger.exception("session failed")
                self.abort("the session failed")

        self._background_tasks.append(asyncio.ensure_future(run()))

    def abort(self, reason: str = "") -> None:
        """Ends the connection at once, without waiting for a peer that may no longer respond."""
        self._given_up = reason
        self._socket.transport.abort()

    async def _receive(self, text: Any) -> None:
        if not isinstance(text, str):
            return  # frames are text
        try:
            frame = json.loads(text)
            kind = frame["type"]
        except (ValueError, TypeError, KeyError):
            _logger.warning("frame ignored: not a JSON object with a type")
            return
        handler = getattr(self, f"_on_{kind}", None) if isinstance(kind, str) else None
        if handler is None:
            return  # unknown type, from a newer service
        try:
            await handler(frame)
        except ConnectionClosed:
            raise
        except Exception:
            _logger.exception("frame ignored: invalid %r", kind)

    async def _on_hello(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        self._heartbeat_s = frame["heartbeatMs"] / 1_000
        # The one started with the connection may sleep longer than the new limit.
        self._start_background(self._watch_for_silence())
        ready: Dict[str, Any] = {
            "type": "ready",
            "instance": runtime._instance,
            "agent": runtime._agent,
            "credit": 0 if self._state.leaving.is_set() else runtime._credit,
            "working": runtime._working(),
        }
        if runtime._requested_bots is not None:
            ready["bots"] = runtime._requested_bots
        await self.send(ready)

    async def _on_welcome(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        for refused in frame.get("refused", []):
            reason = refused.get("reason")
            _logger.warning("bot not hosted: %s: %s", refused.get("botId"), _REFUSED_BOTS.get(reason, reason))
        runtime._drop_lost(frame.get("lost", []))
        runtime._welcomed(self, frame["bots"])
        if runtime._hosted or runtime._requested_bots:
            count = len(runtime._hosted)
            _logger.info("connected, hosting %d bot%s", count, "" if count == 1 else "s")
        else:
            _logger.warning(
                "connected, but this key may host no bot whose hosting is on. Turn it on on the bot's page."
            )
        if not self.hosted:
            self.hosted = True
            self._start_background(self._send_heartbeats())
            self._start_background(self._send_logs())
            self._start_background(self._leave())
        for work in list(runtime._work.values()):
            await runtime._answer(work, self)

    async def _on_bots(self, frame: Dict[str, Any]) -> None:
        runtime = self._runtime
        runtime._hosted = runtime._hosted.union(frame.get("add", [])).difference(frame.get("remove", []))
        await self._send_heartbeat()

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
            test=frame.get("test") is True,
            traceparent=frame.get("traceparent"),
        )
        # Ignore a delivery that was in flight when bye was sent. The service takes it back.
        if not self.said_bye:
            await self._runtime._accept(frame["delivery"], event, self)

    async def _on_heartbeat(self, frame: Dict[str, Any]) -> None:
        self.proven = True
        self._runtime._drop_lost(frame.get("lost", []))

    async def _on_drain(self, frame: Dict[str, Any]) -> None:
        within_s = frame["inMs"] / 1_000 - _DRAIN_MARGIN_S
        self.drained = True
        self._start_background(self._drain(within_s))

    async def _on_error(self, frame: Dict[str, Any]) -> None:
        self.last_error = str(frame.get("message", ""))
        _logger.error("service error: %s: %s", frame.get("code"), self.last_error)

    async def _drain(self, within_s: float) -> None:
        """Waits up to this long for running handlers, then closes. The next session takes over those still running."""
        try:
            await asyncio.wait_for(self._state.idle.wait(), within_s)
        except asyncio.TimeoutError:
            pass
        await self._socket.close()

    async def _leave(self) -> None:
        await self._state.leaving.wait()
        await self.send({"type": "credit", "n": 0})
        await self._state.idle.wait()
        await self._flush_logs()
        await self.bye()

    async def _send_heartbeats(self) -> None:
        assert self._heartbeat_s is not None
        while True:
            await self._send_heartbeat()
            await asyncio.sleep(self._heartbeat_s)

    async def _send_heartbeat(self) -> None:
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
            report: Any = self._runtime._heartbeat(bot_id)
            if report is None:
                return None
            if inspect.iscoroutine(report):
                report.close()
                raise TypeError("heartbeat must be a plain function, not async")
            if not isinstance(report, BotReport):
                raise TypeError(f"heartbeat must return a BotReport or None, not {report!r:.80}")
            BotReport.__post_init__(report)  # a subclass may not check its values
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            # Without a heartbeat, the leases of all bots would expire. Nothing is awaited here, so an
            # asyncio.CancelledError is the function's own, such as the result of a cancelled task.
            _logger.exception("heartbeat failed, bot not reported: %s", bot_id)
            return None
        counts = {"uptimeMs": report.uptime_ms, "guildCount": report.guild_count, "shardCount": report.shard_count}
        return {
            "botId": bot_id,
            "ready": report.ready,
            "presence": report.presence,
            **{name: None if count is None else int(count) for name, count in counts.items()},
        }

    async def _send_logs(self) -> None:
        while True:
            self._state.logs_waiting.clear()
            await self._flush_logs()
            await self._state.logs_waiting.wait()

    async def _flush_logs(self) -> None:
        runtime = self._runtime
        logs = runtime._logs
        if runtime._logs_dropped > 0:
            _logger.warning("%d log entries dropped: log buffer full", runtime._logs_dropped)
            runtime._logs_dropped = 0
        async with self._sending_logs:
            while logs:
                entries = [logs.popleft() for _ in range(min(_LOGS_PER_FRAME, len(logs)))]
                try:
                    await self.send({"type": "log", "entries": entries})
                except ConnectionClosed:
                    logs.extendleft(reversed(entries[: _LOGS_KEPT_MAX - len(logs)]))
                    raise

    async def _watch_for_silence(self) -> None:
        """Closes the connection when the service has sent nothing for too long."""
        while True:
            within_s = _FIRST_FRAME_WITHIN_S if self._heartbeat_s is None else self._heartbeat_s * _SILENT_INTERVALS_MAX
            left_s = self._received_at_s + within_s - time.monotonic()
            if left_s <= 0:
                self.abort(f"no frame from the service for {within_s:.0f} s: connection timed out")
                return
            await asyncio.sleep(left_s)


def _reject_constant(name: str) -> None:
    """Rejects NaN and Infinity, which Python's parser accepts."""
    raise ValueError(f"{name} is not a JSON value")


def _link_address(url: str) -> str:
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"url must be the service's API URL, such as https://api.example.com, not {url!r}")
    path = parts.path if parts.path.endswith("/runtime") else parts.path.rstrip("/") + "/runtime"
    return urlunsplit((scheme, parts.netloc, path, "", ""))


def _connection_failure(error: Exception, origin: str) -> str:
    # If a host has several addresses, asyncio raises one error whose text lists the causes.
    if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return f"nothing is listening at {origin}; check that the service runs, and that this is its API URL"
    if isinstance(error, sockets.gaierror):
        return f"unknown host in {origin}; check the URL"
    if isinstance(error, ssl.SSLError) and error.reason in ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG"):
        return f"{origin} responds without TLS; use http:// if the service is on this machine"
    if isinstance(error, asyncio.TimeoutError):
        return f"{origin} does not respond"
    if isinstance(error, _Redirected):
        return f"{origin} redirects to {error.location}; use the URL of that service"
    status = getattr(getattr(error, "response", None), "status_code", None) or getattr(error, "status_code", None)
    if status is not None:
        return (
            f"{origin} responds ({status}) without opening a WebSocket; check that this is the API URL of Gatehouse, "
            "and that proxies in between forward WebSockets"
        )
    return f"{origin} can't be reached: {type(error).__name__}: {error}"


def _truncated(text: str) -> str:
    """Truncates an error or log text to the length that the service keeps. Replaces characters that it rejects."""
    return _REJECTED_CHARACTERS.sub("\ufffd", text[:_TEXT_MAX_CHARACTERS])


def _described(error: BaseException) -> str:
    """Returns an error text for the bot's owner. Never raises, whatever the exception's own methods do."""
    try:
        return _truncated(f"{type(error).__name__}: {error}")
    except Exception:
        return type(error).__name__


def _is_bot_id(bot_id: Any) -> bool:
    return isinstance(bot_id, str) and _BOT_ID.fullmatch(bot_id) is not None


def _valid_bots(bots: Iterable[str]) -> List[str]:
    """Logs and leaves out invalid IDs, because the service would end the session of all bots for one of them."""
    requested = list(bots)
    if isinstance(bots, str) or len(requested) > _BOTS_MAX:
        raise ValueError(f"bots must be a list of at most {_BOTS_MAX:,} IDs")
    for bot_id in requested:
        if not _is_bot_id(bot_id):
            _logger.error("bot not requested: a bot's ID has 1 to 64 characters, unlike %.80r", bot_id)
    return [bot_id for bot_id in requested if _is_bot_id(bot_id)]
