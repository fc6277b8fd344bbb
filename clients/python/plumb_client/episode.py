"""Episodes of several turns: what a model is asked, its answers, their rewards.

    episode = plumb_client.Episode(label, turns=3)
    turn = episode.reset()
    while not turn.done:
        turn = episode.step(model(turn.content()))
    print(turn.total)

Nothing of an episode is kept in the daemon: each step sends the answers before it.
So a daemon that was restarted, or another one behind the same address, goes on with
the episode. AsyncEpisode has the same methods as coroutines.
"""

from __future__ import annotations

import asyncio
from typing import Any

from plumb_client import pool
from plumb_client.client import AsyncClient, Client
from plumb_client.labels import encode_json, encode_label
from plumb_client.turns import Turn, move

#: Options of an episode that the daemon knows beside its label.
OPTIONS = ("turns", "threshold", "mode", "feedback", "reward", "images", "action", "answer", "seed", "suite", "split", "index")


class _Base:
    """The task, the options, and the answers so far."""

    def __init__(self, label: object = None, **options: Any) -> None:
        if unknown := sorted(set(options) - set(OPTIONS)):
            raise ValueError(f"cannot begin episode: unknown {', '.join(unknown)}; want {', '.join(OPTIONS)}")
        # A label alone is an episode of one step without prompt and pictures.
        self._asked = {"images": "all", **{k: v for k, v in options.items() if v is not None}}
        if label is not None:
            self._asked["label"] = encode_label(label)
        self.answers: list[Any] = []
        self.last: Turn | None = None
        self._before: list[Turn | None] = []  # for each answer what last was before it

    def undo(self) -> None:
        """Takes back the last step, so that another answer can be given: for one that
        could not be scored."""
        if self.answers:
            self.answers.pop()
            self.last = self._before.pop()

    def _reset_body(self) -> bytes:
        self.answers, self.last, self._before = [], None, []
        return encode_json(self._asked, "episode")

    def _step_body(self, answer: Any) -> bytes:
        if self.last is None:
            raise RuntimeError("cannot step: the episode has not begun; want reset() first")
        if self.last.done:
            raise RuntimeError("cannot step: the episode is done; want reset() first")
        return encode_json({"action": {**self._asked, "response": answer, "history": self.answers}}, "answer")

    def _seen(self, turn: Turn, answer: Any = None) -> Turn:
        if turn.turn > 0:
            self.answers.append(answer)
            self._before.append(self.last)
        self.last = turn
        return turn


class Episode(_Base):
    """An episode of a label, or of options that name a task: suite with split and
    index, or seed. Options are turns, threshold, mode, feedback, reward, images,
    action and answer (docs/trainers.md); None takes the suite's own.

    reset and step raise BadLabel, Refused for a bad option, Unavailable where no
    daemon answers in time; the episode is as before then and the step can be repeated.
    """

    def __init__(self, label: object = None, *, client: Client | None = None, **options: Any) -> None:
        super().__init__(label, **options)
        self._client = client or Client()

    def reset(self) -> Turn:
        """Begins the episode, anew where it had begun."""
        work = move(self._client.config, "/reset", self._reset_body())
        return self._seen(self._client._run(work))

    def step(self, answer: Any) -> Turn:
        """Scores an answer: the model's text or a chat message."""
        work = move(self._client.config, "/step", self._step_body(answer))
        return self._seen(self._client._run(work), answer)


class AsyncEpisode(_Base):
    """Episode with coroutines."""

    def __init__(self, label: object = None, *, client: AsyncClient | None = None, **options: Any) -> None:
        super().__init__(label, **options)
        self._client = client or AsyncClient()

    async def reset(self) -> Turn:
        """As Episode.reset."""
        work = move(self._client.config, "/reset", self._reset_body())
        return self._seen(await asyncio.wrap_future(pool.submit(work)))

    async def step(self, answer: Any) -> Turn:
        """As Episode.step."""
        work = move(self._client.config, "/step", self._step_body(answer))
        return self._seen(await asyncio.wrap_future(pool.submit(work)), answer)
