"""verifiers and prime-rl.

Tasks (verifiers.v1, in verifiers 0.2 and later): derive from PlumbTask, or from
task_class(MyData), whose reward method is `plumb`; or plug `reward` into any task
by configuration (verifiers 0.3.1 and later):

    [env.taskset.task.rewards]
    plumb = { fn = "plumb_client.verifiers:reward", weight = 1.0 }

The label is `label` of the task's data, or `answer`. A sample that could not be
scored raises Unscorable, which verifiers records as an error of the rollout.

Rubrics (vf.Rubric, in verifiers 0.3.1 and earlier; 0.4.0 has none):

    vf.Rubric(funcs=[rubric_reward, plumb_failed], weights=[1.0, 0.0])

rubric_rewards is the form for groups; the names with _sync are plain functions,
which block the caller. The label is `answer`. A rubric counts every exception as
0.0; the metric plumb_failed tells such a 0.0 from a bad answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumb_client import adapter
from plumb_client.result import Result


async def reward(task: Any, trace: Any) -> float:
    """Scores trace.last_reply against the label of task, a vf.Task or its data."""
    client = adapter.connect_async(None, None, None)
    return adapter.scored(await client.reward(_label(task), trace.last_reply))


def task_class(data: Any = None, weight: float = 1.0) -> Any:
    """A vf.Task, of data where given, with a reward method `plumb` of that weight.

    Raises ImportError where the installed verifiers has no tasks of this kind.
    """
    try:
        import verifiers.v1 as vf

        base, task_reward = (vf.Task[data] if data is not None else vf.Task), vf.reward
        vf.TaskData  # noqa: B018 - in 0.1 a Task is a dict
    except (ImportError, AttributeError, TypeError) as e:
        raise ImportError(_too_old(e)) from e

    class PlumbTask(base):  # type: ignore[misc,valid-type]
        """Scores the last reply against data.label."""

        @task_reward(weight=weight)  # type: ignore[untyped-decorator]
        async def plumb(self, trace: Any) -> float:
            """The reward of the last reply."""
            return await reward(self, trace)

    PlumbTask.__qualname__ = "PlumbTask"
    return PlumbTask


def _too_old(cause: Exception) -> str:
    from importlib import metadata

    try:
        version = metadata.version("verifiers")
    except metadata.PackageNotFoundError:
        return f"cannot make a task: {cause}; want verifiers 0.2.1 or later"
    return f"cannot make a task: got verifiers {version}; want 0.2.1 or later, or rubric_reward in a vf.Rubric ({cause})"


async def rubric_reward(
    prompt: Any, completion: Any, answer: Any, state: Any, info: Any, task: Any, **kw: Any
) -> float:
    """Reward function of a rubric; the label is answer."""
    _mark(state, 1.0)  # counts as failed until it is scored
    client = adapter.connect_async(*adapter.options(kw))
    return _scored(await client.reward(answer, adapter.answer_text(completion)), state)


async def rubric_rewards(
    prompts: Sequence[Any],
    completions: Sequence[Any],
    answers: Sequence[Any],
    states: Sequence[Any],
    infos: Sequence[Any],
    tasks: Sequence[Any],
    **kw: Any,
) -> list[float]:
    """rubric_reward for a group. A sample that could not be scored is 0.0 with
    plumb_failed 1.0: an exception would make the whole group 0.0."""
    for state in states:
        _mark(state, 1.0)
    client = adapter.connect_async(*adapter.options(kw))
    return _group(await client.reward_many(answers, [adapter.answer_text(c) for c in completions]), states)


def rubric_reward_sync(
    prompt: Any, completion: Any, answer: Any, state: Any, info: Any, task: Any, **kw: Any
) -> float:
    """rubric_reward as a plain function."""
    _mark(state, 1.0)
    client = adapter.connect(*adapter.options(kw))
    return _scored(client.reward(answer, adapter.answer_text(completion)), state)


def rubric_rewards_sync(
    prompts: Sequence[Any],
    completions: Sequence[Any],
    answers: Sequence[Any],
    states: Sequence[Any],
    infos: Sequence[Any],
    tasks: Sequence[Any],
    **kw: Any,
) -> list[float]:
    """rubric_rewards as a plain function."""
    for state in states:
        _mark(state, 1.0)
    client = adapter.connect(*adapter.options(kw))
    return _group(client.reward_many(answers, [adapter.answer_text(c) for c in completions]), states)


def plumb_failed(state: Any) -> float:
    """1.0 where the reward function before it in the rubric could not score the
    sample, else 0.0. Give it the weight 0."""
    return float(state.get("plumb_failed", 1.0))


def _scored(result: Result, state: Any) -> float:
    number = adapter.scored(result)
    _mark(state, 0.0)
    return number


def _group(results: Sequence[Result], states: Sequence[Any]) -> list[float]:
    numbers = [adapter.zeroed(r) for r in results]
    for state, n in zip(states, numbers):
        _mark(state, n["failed"])
    return [n["score"] for n in numbers]


def _mark(state: Any, failed: float) -> None:
    if state is not None:
        state["plumb_failed"] = failed


def _label(task: Any) -> Any:
    for name in ("label", "answer"):
        for holder in (task, adapter.field(task, "data")):
            found = adapter.field(holder, name)
            if found is not None:
                return found
    raise ValueError("cannot find label: want a field label or answer in the task's data")


def __getattr__(name: str) -> Any:
    if name != "PlumbTask":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, task_class())
