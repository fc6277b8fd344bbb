"""SkyRL: an environment of one turn or several.

    register(id="plumb", entry_point="plumb_client.skyrl:PlumbEnv")

The label stands in reward_spec.ground_truth of the dataset row. env_config may hold
url, token_env and timeout. With one of turns, mode, feedback, reward, images or
threshold (docs/trainers.md) the episode has several turns: init asks with the task's
pictures, step returns what became of the answer and what to do next. turns is at
most max_turns of the row's extras.

A sample that could not be scored counts 0.0, ends the episode, and has failed 1.0 in
its metadata and in the environment's metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plumb_client import adapter, versions
from plumb_client.episode import Episode
from plumb_client.turns import Turn

#: What env_config may hold beside the daemon's address.
CHOICES = ("turns", "threshold", "mode", "feedback", "reward", "images")


class _Env:
    """The environment without its base class."""

    def __init__(self, env_config: Any, extras: Mapping[str, Any]) -> None:
        super().__init__()
        try:
            self.label = extras["reward_spec"]["ground_truth"]
        except (KeyError, TypeError):
            raise ValueError("cannot find label: want extras['reward_spec']['ground_truth']") from None
        get = getattr(env_config, "get", None)  # a dict or omegaconf's
        given = {k: get(k) for k in ("url", "token_env", "timeout", *CHOICES)} if callable(get) else {}
        self.client = adapter.connect(*adapter.options(given))
        self.metrics = {"raw": 0.0, "failed": 0.0, "turns": 0.0}
        chosen = {k: given[k] for k in CHOICES if given.get(k) is not None}
        self.max_turns = extras.get("max_turns") or chosen.get("turns") or 1
        if chosen.get("turns"):
            chosen["turns"] = self.max_turns = min(chosen["turns"], self.max_turns)
        self.limit = extras.get("max_turns")
        self.chosen = chosen
        self.episode = Episode(self.label, client=self.client, **chosen) if chosen else None

    def init(self, prompt: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The prompt, in an episode of several turns with the task's pictures and text
        in its last message. Raises BadLabel, a ValueError."""
        if self.episode is None:
            return prompt, {}
        turn = self.episode.reset()
        if self.limit and turn.turns > self.limit:  # the suite has more, and turns was not given
            self.episode = Episode(self.label, client=self.client, **{**self.chosen, "turns": self.limit})
            turn = self.episode.reset()
        return [*prompt[:-1], {"role": "user", "content": turn.content()}], {"turns": turn.turns}

    def step(self, action: str) -> dict[str, Any]:
        """Scores the answer. Raises BadLabel, a ValueError."""
        if self.episode is not None:
            return self._next(self.episode.step(action))
        result = self.client.reward(self.label, action)
        numbers = adapter.zeroed(result)
        self.metrics = {"raw": numbers["raw"], "failed": numbers["failed"], "turns": 1.0}
        metadata = {"raw": numbers["raw"], "failed": numbers["failed"], "status": result.status}
        return {"observations": [], "reward": numbers["score"], "done": True, "metadata": metadata}

    def _next(self, turn: Turn) -> dict[str, Any]:
        result = turn.result
        raw = result.score if result and result.score is not None else 0.0
        self.metrics = {"raw": raw, "failed": float(turn.failed), "turns": float(turn.turn)}
        said = [{"role": "user", "content": turn.content()}] if turn.prompt and not turn.done else []
        metadata = {"raw": raw, "failed": float(turn.failed), "status": result.status if result else ""}
        return {"observations": said, "reward": turn.reward or 0.0, "done": turn.done or turn.failed, "metadata": metadata}

    def get_metrics(self) -> dict[str, float]:
        """raw, failed and turns of the episode."""
        return self.metrics


def __getattr__(name: str) -> Any:
    if name != "PlumbEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = adapter.imported("skyrl_gym.envs.base_text_env", "BaseTextEnv", object)
    if base is not object:
        versions.check("skyrl-gym")
    made = type(name, (_Env, base), {"__module__": __name__, "__doc__": _Env.__doc__})
    return globals().setdefault(name, made)
