"""plumb for verifiers and prime-rl: a taskset, and an environment of several turns.

    vf-eval plumb-whiteboard --env.taskset.suite aspire --env.turns 2

In: task files of plumb, or those that a daemon has loaded. Out: the reward `plumb`
of each rollout, the metrics turn1, turn2, ... with the scores of its answers. An
answer that could not be scored is an error of the rollout, never a 0.

load_environment(**kw) makes the same for verifiers 0.3 and its rubrics, where the
metric plumb_failed tells such an answer from a bad one.
"""

from typing import Any

from plumb_client import versions

try:
    from plumb_whiteboard._tasks import PlumbEnv, PlumbTaskset
except ImportError as e:
    versions.check("verifiers", missing=e)
versions.check("verifiers")

__all__ = ["PlumbEnv", "PlumbTaskset", "load_environment"]


def load_environment(**kw: Any) -> Any:
    """The environment for rubrics (verifiers 0.3); arguments are those of
    plumb_whiteboard._rubric.load. Raises ImportError where verifiers has none."""
    try:
        from plumb_whiteboard import _rubric
    except ImportError as e:
        raise ImportError(f"cannot load environment: this version of verifiers has no rubrics; want 0.3.1 ({e})") from e
    return _rubric.load(**kw)
