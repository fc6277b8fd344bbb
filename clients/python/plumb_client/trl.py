"""TRL: a reward function for GRPOTrainer and its relatives.

    GRPOTrainer(reward_funcs=[plumb_client.trl.reward_fn()], ...)

The label stands in the dataset column `label`. A sample that could not be scored
is None, which TRL leaves out; a label that cannot be read is a ValueError.

    GRPOTrainer(environment_factory=plumb_client.trl.environment(turns=3), ...)

has episodes of several turns: the model calls the tool `answer`, sees what became of
it, and goes on.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from typing import Any

from plumb_client import adapter, versions
from plumb_client.client import Client
from plumb_client.episode import Episode
from plumb_client.turns import Turn

RewardFn = Callable[..., Awaitable[list["float | None"]]]


def reward_fn(
    column: str = "label",
    *,
    url: str | None = None,
    token_env: str | None = None,
    timeout: float | None = None,
    name: str = "plumb",
) -> RewardFn:
    """Returns the function to put into reward_funcs; name is the one in TRL's logs.

    Beside the rewards it logs the share of samples without one (NAME/failed) and
    how each answer was read (column NAME_status of the completions table).
    """
    client = adapter.connect_async(url, token_env, timeout)

    async def fn(
        prompts: Any,
        completions: Any,
        completion_ids: Any,
        *,
        trainer_state: Any = None,
        log_extra: Any = None,
        log_metric: Any = None,
        environments: Any = None,
        **columns: Any,
    ) -> list[float | None]:
        if column not in columns:
            raise ValueError(f"cannot find labels: the dataset has no column {column!r}; got {sorted(columns)}")
        labels = list(columns[column])
        if len(labels) != len(completions):
            raise ValueError(f"cannot pair {len(labels)} labels and {len(completions)} completions: want as many of each")
        results = await client.reward_many(labels, [adapter.answer_text(c) for c in completions])
        if log_metric is not None and results:
            log_metric(f"{name}/failed", sum(r.failed for r in results) / len(results))
        if log_extra is not None:
            log_extra(f"{name}_status", [r.status or (r.error.code if r.error else "") for r in results])
        return [r.reward for r in results]

    fn.__name__ = fn.__qualname__ = name
    return fn


def environment(
    column: str = "label",
    *,
    url: str | None = None,
    token_env: str | None = None,
    timeout: float | None = None,
    images: str = "none",
    **options: Any,
) -> Callable[[], PlumbEnvironment]:
    """Returns the function to give to environment_factory. Episodes begin with the
    row's label in column; options are those of Episode. With images="all" the prompt and
    what the tool returns have pictures, for models that see them."""
    versions.check("trl")
    client = adapter.connect(url, token_env, timeout)
    return lambda: PlumbEnvironment(client, column, {"images": images, **options})


class PlumbEnvironment:
    """An environment of TRL, one per rollout. A rollout without an answer has reward
    0.0; one whose last answer could not be scored has None, which TRL leaves out."""

    def __init__(self, client: Client, column: str, options: dict[str, Any]) -> None:
        self._client, self._column, self._options = client, column, options
        self._episode: Episode | None = None
        self._reward: float | None = 0.0

    def reset(self, **row: Any) -> Any:
        """Begins the episode of a row and returns the task's text, or blocks of text and
        pictures, which TRL puts behind the row's prompt. Raises BadLabel and ValueError,
        which end the run."""
        if self._column not in row:
            raise ValueError(f"cannot find labels: the dataset has no column {self._column!r}; got {sorted(row)}")
        self._reward = 0.0
        self._episode = Episode(row[self._column], client=self._client, **self._options)
        return _said(self._episode.reset())

    def answer(self, answer: str) -> Any:
        """
        Gives an answer to the task and shows what became of it.

        Args:
            answer: The answer, in the form that the task asks for.

        Returns:
            What to do next.
        """
        if self._episode is None or self._episode.last is None or self._episode.last.done:
            return "The task is done."
        # Set first, because TRL takes an exception of the tool for its answer and goes on.
        self._reward = None
        turn = self._episode.step(answer)
        if turn.result is None or turn.result.reward is None:
            return "The answer could not be scored."
        self._reward = turn.total if turn.total is not None else turn.result.reward
        return _said(turn)

    def get_reward(self) -> float | None:
        """The episode's reward."""
        return self._reward


def _said(turn: Turn) -> Any:
    if turn.prompt is None:
        return "Done."
    if not turn.prompt.images:
        return turn.prompt.text
    from PIL import Image

    return turn.prompt.blocks(lambda text: {"type": "text", "text": text},
                              lambda p: {"type": "image", "image": Image.open(io.BytesIO(p.data))})  # fmt: skip
