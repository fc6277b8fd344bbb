"""SkyRL: an environment of one turn.

    register(id="plumb", entry_point="plumb_client.skyrl:PlumbEnv")

The label stands in reward_spec.ground_truth of the dataset row. env_config may
hold url, token_env and timeout. A sample that could not be scored counts 0.0 and
has failed 1.0 in its metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plumb_client import adapter


class _Env:
    """The environment without its base class."""

    def __init__(self, env_config: Any, extras: Mapping[str, Any]) -> None:
        super().__init__()
        try:
            self.label = extras["reward_spec"]["ground_truth"]
        except (KeyError, TypeError):
            raise ValueError("cannot find label: want extras['reward_spec']['ground_truth']") from None
        get = getattr(env_config, "get", None)  # a dict or omegaconf's
        given = {k: get(k) for k in ("url", "token_env", "timeout")} if callable(get) else {}
        self.client = adapter.connect(*adapter.options(given))

    def step(self, action: str) -> dict[str, Any]:
        """Scores the answer and ends the episode. Raises BadLabel, a ValueError."""
        result = self.client.reward(self.label, action)
        numbers = adapter.zeroed(result)
        metadata = {"raw": numbers["raw"], "failed": numbers["failed"], "status": result.status}
        return {"observations": [], "reward": numbers["score"], "done": True, "metadata": metadata}


def __getattr__(name: str) -> Any:
    if name != "PlumbEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = adapter.imported("skyrl_gym.envs.base_text_env", "BaseTextEnv", object)
    made = type(name, (_Env, base), {"__module__": __name__, "__doc__": _Env.__doc__})
    return globals().setdefault(name, made)
