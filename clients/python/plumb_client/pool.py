"""The one set of connections of a process.

An event loop in a thread of its own owns every aiohttp session, so requests work
from any thread and any event loop, also after asyncio.run has ended, and never
block the caller's loop. In: coroutines to run there. Out: futures. A forked
child starts a set of its own and leaves its parent's sockets alone.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures

# Imported here, because asyncio would import it when it first resolves a name, and it
# registers hooks for forks. A fork during that import would run only the hooks for after
# the fork: they would release a lock that was not taken.
import concurrent.futures.thread
import os
import resource
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import aiohttp

from plumb_client.errors import Unavailable
from plumb_client.target import Config

T = TypeVar("T")


class Channel:
    """A session and the gate in front of it.

    The connector itself has no limit: time spent waiting for a connection would
    count as the daemon's. The gate lets `connections` requests through at a time.
    """

    def __init__(self, cfg: Config) -> None:
        connector: aiohttp.BaseConnector
        if cfg.socket:
            connector = aiohttp.UnixConnector(path=cfg.socket, limit=0, keepalive_timeout=30)
        else:
            # The daemon closes idle connections after 90 s; closing them here first
            # keeps requests from being sent into a closing connection.
            connector = aiohttp.TCPConnector(
                limit=0, keepalive_timeout=30, ssl=cfg.tls.context() if cfg.tls else True
            )
        self.session = aiohttp.ClientSession(
            connector=connector, auto_decompress=True, cookie_jar=aiohttp.DummyCookieJar()
        )
        self.gate = asyncio.Semaphore(min(cfg.connections, _descriptors()))

    async def enter(self, timeout: float) -> None:
        """Waits for a place. Raises asyncio.TimeoutError after timeout seconds."""
        if not self.gate.locked():
            await self.gate.acquire()
            return
        place = asyncio.ensure_future(self.gate.acquire())
        try:
            done, _ = await asyncio.wait({place}, timeout=timeout)
        except asyncio.CancelledError:
            self._abandon(place)
            raise
        if not done:
            self._abandon(place)
            raise asyncio.TimeoutError

    def _abandon(self, place: asyncio.Future[Any]) -> None:
        def settle(f: asyncio.Future[Any]) -> None:
            if not f.cancelled() and f.exception() is None:
                self.gate.release()  # the place was given after the caller had given up

        place.add_done_callback(settle)
        place.cancel()


def _descriptors() -> int:
    """Half the files that this process may open: the trainer needs some too."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else max(soft // 2, 8)


class Pool:
    """The loop, its thread and its channels."""

    def __init__(self) -> None:
        self._closing = False
        self._channels: dict[object, Channel] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="plumb-client", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def submit(self, work: Callable[[Pool], Coroutine[Any, Any, T]]) -> concurrent.futures.Future[T]:
        """Starts work in the loop. Cancelling the future cancels the work."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("cannot wait for the pool within the pool: call from another thread")
        return asyncio.run_coroutine_threadsafe(self._guard(work), self._loop)

    async def _guard(self, work: Callable[[Pool], Awaitable[T]]) -> T:
        try:
            return await work(self)
        except asyncio.CancelledError:
            if self._closing:
                raise Unavailable("cannot finish request: the connections of this process were closed") from None
            raise

    def channel(self, cfg: Config) -> Channel:
        """The channel of a configuration; called in the loop only."""
        key = (cfg.socket, cfg.tls, cfg.connections)
        if key not in self._channels:
            self._channels[key] = Channel(cfg)
        return self._channels[key]

    def close(self) -> None:
        """Cuts off what is under way and ends the thread."""
        self._closing = True
        if threading.current_thread() is self._thread:
            raise RuntimeError("cannot close the pool within the pool")
        done = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        try:
            done.result(timeout=5)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            pass  # a thread that hangs must not keep the process
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for t in tasks:
            t.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for c in self._channels.values():
            await c.session.close()
        await asyncio.sleep(0)


_lock = threading.Lock()
_pool: Pool | None = None
_parents: list[Pool] = []  # in a forked child: pools of its parents, kept so that nothing closes their sockets


def submit(work: Callable[[Pool], Coroutine[Any, Any, T]]) -> concurrent.futures.Future[T]:
    """Starts work on the connections of this process, which it opens if need be."""
    global _pool
    with _lock:
        if _pool is None:
            _pool = Pool()
        return _pool.submit(work)


def close() -> None:
    """Closes every connection of this process. A later request opens new ones."""
    global _pool
    with _lock:
        pool, _pool = _pool, None
    if pool is not None:
        pool.close()


def _forked() -> None:
    # The child has no thread for the loop, and shares the loop's selector with the
    # parent: to close the loop here would remove the parent's sockets from it.
    global _pool, _lock
    _lock = threading.Lock()
    if _pool is not None:
        _parents.append(_pool)
        _pool = None


os.register_at_fork(after_in_child=_forked)
atexit.register(close)
