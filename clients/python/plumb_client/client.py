"""The clients: Client for threads, AsyncClient for event loops.

Both have the same methods and share the connections of the process (pool). They
hold nothing but their configuration, so they need no closing, survive a fork and
can be pickled.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from plumb_client import calls, pool, turns
from plumb_client.calls import Health
from plumb_client.errors import Unavailable
from plumb_client.result import Result
from plumb_client.target import TLS, configure
from plumb_client.turns import Prompt

T = TypeVar("T")
Work = Callable[[pool.Pool], Coroutine[Any, Any, T]]


class _Base:
    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        tls: TLS | None = None,
        timeout: float = 120.0,
        attempt_timeout: float = 30.0,
        connections: int = 512,
    ) -> None:
        """url: http(s)://HOST:PORT, unix:/PATH or http+unix://%2FPATH; without one
        PLUMB_URL, else http://127.0.0.1:8000. token: else the URL's, else PLUMB_TOKEN.
        timeout is the deadline of a call in seconds, retries and waiting included;
        attempt_timeout that of one try. connections is how many requests this process
        has under way with the daemon at most; further ones wait for their turn.

        Raises ValueError where these cannot be used.
        """
        self.config = configure(url, token, tls, timeout, attempt_timeout, connections)

    def __repr__(self) -> str:
        token = ", token=***" if self.config.token else ""
        return f"{type(self).__name__}({self.config.name!r}{token})"


class Client(_Base):
    """Calls from threads. KeyboardInterrupt cancels the request."""

    def _run(self, work: Work[T]) -> T:
        future = pool.submit(work)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Unavailable("cannot finish request: the connections of this process were closed") from None
        except BaseException:
            future.cancel()
            raise

    def score(
        self, item: object, *, suite: str = "", reward: str = "", variants: Sequence[str] = (), timeout: float | None = None
    ) -> Result:
        """Scores one item, a dump line with its response. suite is for an item that
        names none; reward (raw, clamp01, clamp11) and variants replace the daemon's.

        What is wrong with the item itself is an error in the Result.
        """
        return self._run(calls.score(self.config, item, suite, reward, variants, timeout))

    def score_many(
        self,
        items: Iterable[object],
        *,
        suite: str = "",
        reward: str = "",
        variants: Sequence[str] = (),
        timeout: float | None = None,
    ) -> list[Result]:
        """Scores items in requests of many; results come in the order of the items.
        timeout is that of each request."""
        return self._run(calls.score_many(self.config, items, suite, reward, variants, timeout))

    def reward(
        self,
        label: object,
        response: calls.Response,
        *,
        prompt: object = None,
        variants: Sequence[str] = (),
        timeout: float | None = None,
    ) -> Result:
        """Scores a response against a label: a JSON string with an item or a
        reference, or the same as an object. The response is the model's text; chat
        messages and completion objects are read as their last text of the assistant.
        variants replace the daemon's.

        Raises BadLabel, a ValueError, for a label that the daemon cannot use.
        """
        return self._run(calls.reward(self.config, label, response, prompt, timeout, variants))

    def reward_many(
        self,
        labels: Iterable[object],
        responses: Iterable[calls.Response],
        *,
        prompts: Iterable[object] | None = None,
        timeout: float | None = None,
    ) -> list[Result]:
        """Scores aligned labels and responses, one request each so that a slow one
        delays no other; results come in order. Raises BadLabel at the first bad label."""
        return self._run(calls.reward_many(self.config, labels, responses, prompts, timeout))

    def render(
        self, scene: object, *, bounds: str = "", channels: str = "rgba", timeout: float | None = None
    ) -> bytes:
        """Draws a scene and returns a PNG. bounds: "x,y,w,h" or "content[:PAD]" in page
        units; channels: "rgba" (not premultiplied) or "alpha" (grey)."""
        return self._run(calls.render(self.config, scene, bounds, channels, timeout))

    def get_reward(self, queries: Sequence[str], prompts: Sequence[object], labels: Sequence[object]) -> dict[str, Any]:
        """Scores samples in OpenRLHF's own shape: queries hold prompt and answer.
        Returns rewards, scores and extra_logs. Raises BadLabel at the first bad label."""
        return self._run(calls.get_reward(self.config, queries, prompts, labels))

    def metrics(
        self, a: object, b: object = None, *, threshold: int = 1, hausdorff: bool = True
    ) -> dict[str, Any]:
        """Measures a mask, or two of one size: PNGs, or uint8 arrays of height x width
        (alpha) or height x width x 4 (RGBA); pixels count from alpha threshold on.

        Returns the pixel metrics of a (and b), and for two of them those of both
        together (coverage, iou, ...), as docs/shared-memory.md lists them."""
        return self._run(calls.metrics(self.config, a, b, threshold, hausdorff))

    def prompt(self, label: object) -> Prompt:
        """What a model is asked for a label: the text and pictures of `plumb prompt`."""
        return self._run(turns.ask(self.config, label))

    def tasks(self, suite: str, split: str = "test") -> list[dict[str, Any]]:
        """The tasks that the daemon has loaded for a suite: objects with a label and
        the task's public fields. Raises Refused for what it has not."""
        return self._run(turns.tasks(self.config, suite, split))

    def splits(self, suite: str) -> list[str]:
        """The splits of the tasks that the daemon has loaded for a suite."""
        return self._run(turns.splits(self.config, suite))

    def task_suites(self) -> list[str]:
        """The suites of which the daemon has loaded tasks."""
        return self._run(turns.suites(self.config))

    def suites(self) -> dict[str, Any]:
        """What the daemon can score: suites, tests, variants, versions."""
        return self._run(calls.document(self.config, "/v1/suites"))

    def prometheus(self) -> str:
        """The daemon's own metrics in Prometheus' text format."""
        return self._run(calls.prometheus(self.config))

    def health(self) -> Health:
        """Whether the daemon takes requests now. Raises Unavailable where nobody answers."""
        return self._run(calls.health(self.config))

    def wait_until_ready(self, timeout: float = 60.0) -> None:
        """Waits until the daemon takes requests. Raises NotReady, a TimeoutError."""
        self._run(calls.wait_until_ready(self.config, timeout))


class AsyncClient(_Base):
    """Calls from coroutines of any event loop, none of which is ever blocked.
    Cancelling the task cancels the request. Methods are those of Client."""

    async def _run(self, work: Work[T]) -> T:
        return await asyncio.wrap_future(pool.submit(work))

    async def score(
        self, item: object, *, suite: str = "", reward: str = "", variants: Sequence[str] = (), timeout: float | None = None
    ) -> Result:
        """As Client.score."""
        return await self._run(calls.score(self.config, item, suite, reward, variants, timeout))

    async def score_many(
        self,
        items: Iterable[object],
        *,
        suite: str = "",
        reward: str = "",
        variants: Sequence[str] = (),
        timeout: float | None = None,
    ) -> list[Result]:
        """As Client.score_many."""
        return await self._run(calls.score_many(self.config, items, suite, reward, variants, timeout))

    async def reward(
        self,
        label: object,
        response: calls.Response,
        *,
        prompt: object = None,
        variants: Sequence[str] = (),
        timeout: float | None = None,
    ) -> Result:
        """As Client.reward."""
        return await self._run(calls.reward(self.config, label, response, prompt, timeout, variants))

    async def reward_many(
        self,
        labels: Iterable[object],
        responses: Iterable[calls.Response],
        *,
        prompts: Iterable[object] | None = None,
        timeout: float | None = None,
    ) -> list[Result]:
        """As Client.reward_many."""
        return await self._run(calls.reward_many(self.config, labels, responses, prompts, timeout))

    async def render(
        self, scene: object, *, bounds: str = "", channels: str = "rgba", timeout: float | None = None
    ) -> bytes:
        """As Client.render."""
        return await self._run(calls.render(self.config, scene, bounds, channels, timeout))

    async def get_reward(self, queries: Sequence[str], prompts: Sequence[object], labels: Sequence[object]) -> dict[str, Any]:
        """As Client.get_reward."""
        return await self._run(calls.get_reward(self.config, queries, prompts, labels))

    async def metrics(
        self, a: object, b: object = None, *, threshold: int = 1, hausdorff: bool = True
    ) -> dict[str, Any]:
        """As Client.metrics."""
        return await self._run(calls.metrics(self.config, a, b, threshold, hausdorff))

    async def prompt(self, label: object) -> Prompt:
        """As Client.prompt."""
        return await self._run(turns.ask(self.config, label))

    async def tasks(self, suite: str, split: str = "test") -> list[dict[str, Any]]:
        """As Client.tasks."""
        return await self._run(turns.tasks(self.config, suite, split))

    async def splits(self, suite: str) -> list[str]:
        """As Client.splits."""
        return await self._run(turns.splits(self.config, suite))

    async def task_suites(self) -> list[str]:
        """As Client.task_suites."""
        return await self._run(turns.suites(self.config))

    async def suites(self) -> dict[str, Any]:
        """As Client.suites."""
        return await self._run(calls.document(self.config, "/v1/suites"))

    async def prometheus(self) -> str:
        """As Client.prometheus."""
        return await self._run(calls.prometheus(self.config))

    async def health(self) -> Health:
        """As Client.health."""
        return await self._run(calls.health(self.config))

    async def wait_until_ready(self, timeout: float = 60.0) -> None:
        """As Client.wait_until_ready."""
        await self._run(calls.wait_until_ready(self.config, timeout))
