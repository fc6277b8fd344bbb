"""NeMo-RL: an environment of one turn.

    plumb_client.nemo_rl.register()     # before create_env("plumb", cfg)

PlumbEnvironmentActor is the Ray remote class, PlumbEnvironment the plain one. The
label stands in metadata["label"]. The configuration may hold url, token_env and
timeout. A sample that could not be scored counts 0.0. Its observation says why, and the
metric plumb/failed of the actor counts it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plumb_client import adapter


#: The name by which NeMo-RL finds the Ray remote class.
ACTOR = "plumb_client.nemo_rl.PlumbEnvironmentActor"


def register(name: str = "plumb") -> None:
    """Makes create_env(name, cfg) find the environment, run by NeMo-RL's own Python.

    Raises ValueError where name is taken by another environment.
    """
    from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
    from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
    from nemo_rl.environments.utils import ENV_REGISTRY, register_env

    ACTOR_ENVIRONMENT_REGISTRY[ACTOR] = PY_EXECUTABLES.SYSTEM
    if ENV_REGISTRY.get(name, {}).get("actor_class_fqn") != ACTOR:
        register_env(name, ACTOR)


class _EnvironmentReturn(NamedTuple):
    """Stands in where NeMo-RL is not installed."""

    observations: list[dict[str, str]]
    metadata: list[Any]
    next_stop_strings: list[None]
    rewards: Any
    terminateds: Any
    answers: list[Any] | None


class _Environment:
    """The environment without its base class."""

    def __init__(self, cfg: Mapping[str, Any] | None = None) -> None:
        self.client = adapter.connect(*adapter.options(cfg or {}))
        self.samples = self.failed = 0

    def step(self, message_log_batch: Sequence[Any], metadata: Sequence[Any]) -> Any:
        """Scores the last message of the assistant of each conversation.

        Raises BadLabel, a ValueError.
        """
        labels = [_label(m, i) for i, m in enumerate(metadata)]
        results = self.client.reward_many(labels, [adapter.answer_text(log) for log in message_log_batch])
        rewards = [adapter.zeroed(r)["score"] for r in results]
        self.samples += len(results)
        self.failed += sum(r.failed for r in results)
        said = [f"cannot score: {r.error.code}" if r.error else f"reward {r.reward}" for r in results]
        make = adapter.imported("nemo_rl.environments.interfaces", "EnvironmentReturn", _EnvironmentReturn)
        return make(
            observations=[{"role": "environment", "content": text} for text in said],
            metadata=list(metadata),
            next_stop_strings=[None] * len(results),
            rewards=_tensor(rewards),
            terminateds=_tensor([1.0] * len(results)),
            answers=None,
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        """Leaves the batch as it is; the metrics are those of this environment."""
        metrics = {"plumb/failed": self.failed / self.samples if self.samples else 0.0}
        rewards = batch.get("rewards") if hasattr(batch, "get") else None
        if rewards is not None and len(rewards) > 0:
            metrics["plumb/reward"] = float(sum(float(r) for r in rewards) / len(rewards))
        return batch, metrics

    def shutdown(self) -> None:
        """Nothing to stop: connections belong to the process."""


def _label(metadata: Any, position: int) -> Any:
    try:
        return metadata["label"]
    except (KeyError, TypeError):
        raise ValueError(f"cannot find label of sample {position}: want metadata['label']") from None


def _tensor(values: list[float]) -> Any:
    make = adapter.imported("torch", "tensor", None)
    return values if make is None else make(values)


def __getattr__(name: str) -> Any:
    if name == "PlumbEnvironment":
        base = adapter.imported("nemo_rl.environments.interfaces", "EnvironmentInterface", object)
        made: Any = type(name, (_Environment, base), {"__module__": __name__, "__doc__": _Environment.__doc__})
    elif name == "PlumbEnvironmentActor":
        import ray

        made = ray.remote(__getattr__("PlumbEnvironment"))
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, made)
