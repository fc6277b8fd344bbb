"""One request with its retries.

In: method, path, body and a deadline. Out: the last reply. Retried are 408, 429,
5xx and failures of the connection, never another 4xx; the request id stays the
same, Retry-After is honoured, delays grow and are jittered, and everything,
waiting included, ends with the deadline.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
import os
import random
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp

from plumb_client.errors import Unavailable
from plumb_client.pool import Pool
from plumb_client.result import Timings
from plumb_client.target import Config

log = logging.getLogger("plumb_client")

#: First delay between attempts and the longest, in seconds.
BACKOFF_FIRST, BACKOFF_MOST = 0.1, 5.0

#: Most attempts where the scorer failed (500, 504, or a 200 with such an error): the
#: sample itself may be at fault, and then each try may take the daemon's whole deadline.
SCORER_ATTEMPTS = 3

#: The error in a result line. Inside texts quotes are escaped, so the text of an answer
#: cannot match.
ERROR = re.compile(rb'"error":\{"code":"(closed|deadline|backend|internal)"')

#: Silence between two warnings about an unreachable daemon, in seconds.
WARN_EVERY = 10.0


@dataclass(frozen=True)
class Request:
    """What is sent. id is kept over all attempts; timeout is in seconds."""

    method: str
    path: str
    body: bytes | None = None
    params: tuple[tuple[str, str], ...] = ()
    accept: str = "application/json"
    timeout: float | None = None
    attempt_timeout: float | None = None
    retry: bool = True
    any_status: bool = False  # every status is an answer
    one: bool = False  # the answer is about one sample


@dataclass(frozen=True)
class Reply:
    """An answer that is not retried any more."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    timings: Timings


class Fault(Exception):
    """An attempt that gave no final answer. status is 0 without a response; after is the
    time of Retry-After in seconds. final says that a further try is of no use, scorer
    that the scorer failed."""

    def __init__(
        self, text: str, status: int = 0, after: float | None = None, final: bool = False, scorer: bool = False
    ) -> None:
        super().__init__(text)
        self.status, self.after, self.final, self.scorer = status, after, final, scorer


def backoff(attempt: int, after: float | None) -> float:
    """Seconds until the next try; attempt counts from 1, after is Retry-After's."""
    delay: float = min(BACKOFF_MOST, BACKOFF_FIRST * 2.0 ** min(attempt - 1, 30)) * random.uniform(0.5, 1.0)
    if after is None:
        return delay
    return max(delay, after + random.uniform(0.0, 0.1 + 0.25 * after))


def retry_after(value: str | None) -> float | None:
    """Reads Retry-After: seconds or a date. None where it is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if seconds < 1e9 else None  # NaN fails too


async def send(pool: Pool, cfg: Config, req: Request) -> Reply:
    """Sends until there is a final answer. Raises Unavailable at the deadline."""
    return await _Sending(pool, cfg, req).run()


class _Sending:
    def __init__(self, pool: Pool, cfg: Config, req: Request) -> None:
        self.cfg, self.req = cfg, req
        self.id = uuid.uuid4().hex
        self.clock = asyncio.get_running_loop().time
        self.start = self.clock()
        self.deadline = self.start + (req.timeout or cfg.timeout)
        self.waited = 0.0
        self.attempts = 0
        try:
            self.channel = pool.channel(cfg)
        except OSError as e:  # TLS files
            raise ValueError(f"cannot read TLS files: {e.strerror or type(e).__name__}") from None

    async def run(self) -> Reply:
        while True:
            self.attempts += 1
            reply, fault = await self.outcome()
            if fault is None and reply is not None:
                return reply
            assert fault is not None
            delay = backoff(self.attempts, fault.after)
            over = fault.final or not self.req.retry or self.clock() + delay >= self.deadline
            if reply is not None and fault.scorer and (over or self.attempts >= SCORER_ATTEMPTS):
                return reply
            if over:
                raise self.unavailable(fault)
            self.warn(fault)
            await pause(delay)

    async def outcome(self) -> tuple[Reply | None, Fault | None]:
        try:
            reply = await self.attempt()
        except Fault as f:
            return None, f
        return reply, self.fault(reply)

    def fault(self, reply: Reply) -> Fault | None:
        """What is wrong with a reply that is worth another try."""
        if self.req.any_status:
            return None
        if reply.status == 200:
            m = ERROR.search(reply.body)
            if m and m[1] == b"closed":  # the daemon shut down before it scored the sample
                return Fault("it was shutting down", 503)
            return Fault("the scorer failed", 200, scorer=True) if m and self.req.one else None
        if reply.status in (408, 429) or reply.status >= 500:
            after = retry_after(reply.headers.get("Retry-After"))
            return Fault(f"it answered {reply.status}", reply.status, after, scorer=reply.status in (500, 504))
        return None

    async def attempt(self) -> Reply:
        asked = self.clock()
        try:
            await self.channel.enter(self.deadline - asked)
        except asyncio.TimeoutError:
            raise Fault("all connections of this process stayed busy", final=True) from None
        try:
            self.waited += self.clock() - asked
            return await self.exchange()
        except (asyncio.TimeoutError, TimeoutError):
            raise Fault("it did not answer in time") from None
        except (aiohttp.ClientConnectorCertificateError, aiohttp.InvalidURL) as e:
            raise Fault(f"{type(e).__name__}: its certificate or address cannot be used", final=True) from None
        except aiohttp.ClientConnectorSSLError as e:
            raise Fault(f"TLS failed: {type(e).__name__}", final=True) from None
        except (aiohttp.ClientError, OSError) as e:
            raise Fault(_reason(e), final=isinstance(getattr(e, "os_error", e), PermissionError)) from None
        finally:
            self.channel.gate.release()

    async def exchange(self) -> Reply:
        r = self.req
        headers = {"X-Request-Id": self.id, "Accept": r.accept}
        if r.body is not None:
            headers["Content-Type"] = "application/json"
        if self.cfg.token is not None:
            headers["Authorization"] = "Bearer " + self.cfg.token.reveal()
        left = min(r.attempt_timeout or self.cfg.attempt_timeout, self.deadline - self.clock())
        if left <= 0:
            raise asyncio.TimeoutError
        async with self.channel.session.request(
            r.method,
            self.cfg.base + r.path,
            data=r.body,
            params=r.params,
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=left, sock_connect=min(10.0, left)),
            allow_redirects=False,  # a token is for one host only
        ) as resp:
            body = await resp.read()
            return Reply(resp.status, resp.headers, body, self.timings(resp.headers))

    def timings(self, headers: Mapping[str, str]) -> Timings:
        return Timings(
            total_ms=(self.clock() - self.start) * 1000,
            client_wait_ms=self.waited * 1000,
            queue_ms=_ms(headers.get("X-Queue-Ms")),
            score_ms=_ms(headers.get("X-Score-Ms")),
            attempts=self.attempts,
            request_id=self.id,
        )

    def unavailable(self, fault: Fault) -> Unavailable:
        took = self.clock() - self.start
        tries = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
        return Unavailable(
            f"cannot get an answer from {self.cfg.name}: {fault} ({tries} in {took:.1f} s, request {self.id})",
            status=fault.status,
        )

    def warn(self, fault: Fault) -> None:
        global _warned
        if self.attempts < 3 or time.monotonic() - _warned < WARN_EVERY:
            return
        _warned = time.monotonic()
        log.warning(
            "no answer from %s yet: %s; trying for another %.0f s", self.cfg.name, fault, self.deadline - self.clock()
        )


_warned = -WARN_EVERY
pause = asyncio.sleep


def _reason(e: BaseException) -> str:
    cause = getattr(e, "os_error", e)
    if isinstance(cause, OSError) and cause.errno:
        return os.strerror(cause.errno).lower()
    return "the connection broke" if isinstance(e, aiohttp.ClientError) else type(e).__name__


def _ms(value: str | None) -> float | None:
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None
