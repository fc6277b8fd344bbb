"""The client of the daemon's sessions.

In: the parameters of reset and actions as dictionaries (docs/trainers.md). Out:
OpenEnv's StepResult with the observation as a dictionary. Where the daemon restarts
or the connection breaks, a new session takes up the episode with the answers so far.
What the daemon refuses is a RuntimeError, as in OpenEnv's own client. An answer that
could not be scored has no reward, unless the daemon's --unscorable says otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from openenv.core import GenericEnvClient
from openenv.core.client_types import StepResult
from websockets.exceptions import WebSocketException

#: Longest wait for a daemon that is restarted, in seconds.
COMES_BACK = 60.0


class _Lost(Exception):
    """The session is gone, with its episode."""


class PlumbEnv(GenericEnvClient):  # type: ignore[misc]
    """A session with one episode at a time.

        with PlumbEnv(base_url="http://127.0.0.1:8000").sync() as env:
            seen = env.reset(suite="aspire", seed=7, turns=2)
            seen = env.step({"response": "..."})
    """

    async def _reset_async(self, **kwargs: Any) -> StepResult:
        self._options, self._answers = kwargs, list(kwargs.get("history") or [])
        try:
            return await self._ask("reset", kwargs)
        except _Lost:
            return await self._resume()

    async def _step_async(self, action: Any, **kwargs: Any) -> StepResult:
        data = self._step_payload(action)
        try:
            result = await self._ask("step", data)
        except _Lost:
            if data.get("label") is None:  # a step with a label is an episode of its own
                await self._resume()
            result = await self._ask("step", data)
        if data.get("label") is None:
            self._answers.append(data.get("response", data))
        return result

    async def _resume(self) -> StepResult:
        """Begins the episode anew, with the answers so far."""
        options = getattr(self, "_options", None)
        if options is None:
            raise RuntimeError("Server error: the session was lost before a reset (code: SESSION_ERROR)")
        deadline = asyncio.get_running_loop().time() + COMES_BACK
        while True:
            try:
                return await self._ask("reset", {**options, "history": self._answers} if self._answers else options)
            except _Lost as e:
                if asyncio.get_running_loop().time() > deadline:
                    raise ConnectionError(f"cannot begin the episode again: {e}") from e
            await asyncio.sleep(0.2)

    async def _ask(self, kind: str, data: dict[str, Any]) -> StepResult:
        """One message and its answer. Raises _Lost where the session is gone."""
        try:
            await self._send({"type": kind, "data": data})
            answer = await self._receive()
        except (WebSocketException, OSError) as e:  # ConnectionError is one
            await self._drop()
            raise _Lost(str(e)) from e
        said = answer.get("data") or {}
        if answer.get("type") != "error":
            return self._parse_result(said)
        if said.get("code") == "SESSION_ERROR" or said.get("error_type") == "no_episode" and getattr(self, "_options", None) is not None:
            await self._drop()
            raise _Lost(str(said.get("message")))
        raise RuntimeError(f"Server error: {said.get('message', 'unknown')} (code: {said.get('code', 'UNKNOWN')})")

    async def _drop(self) -> None:
        """Closes the connection, so that the next message opens another."""
        with contextlib.suppress(Exception):
            await self._disconnect_async()
