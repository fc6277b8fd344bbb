"""The taskset and the environment for verifiers.v1."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from plumb_client import AsyncClient, AsyncEpisode, Turn, Unscorable, rows


class PlumbConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Where the tasks are: the file items, else those of split that the daemon has
    loaded, else a few of plumb's own. The daemon is url, else PLUMB_URL, else one
    that is started. outline is TangramPuzzle's Task 1."""

    suite: str = "aspire"
    items: str | None = None
    url: str | None = None
    split: str = "test"
    outline: bool = False


class PlumbData(vf.TaskData):  # type: ignore[misc]
    """A task's label and the daemon that has the task loaded."""

    label: str
    test: str = ""
    url: str | None = None
    tasks: dict[str, str] | None = None


class PlumbTask(vf.Task[PlumbData]):  # type: ignore[misc]
    """A task without a prompt: the environment asks for answers and scores them."""


class PlumbTaskset(vf.Taskset[PlumbTask, PlumbConfig]):  # type: ignore[misc]
    """The tasks of one suite."""

    def load(self) -> Any:
        """Yields them in their order."""
        c = self.config
        found = rows.load(c.suite, c.items, c.url, split=c.split, outline=c.outline)
        tasks = None if found.tasks is None else {k: str(v) for k, v in found.tasks.items()}
        for row in found.rows:
            yield PlumbTask(PlumbData(name=row.id, prompt=None, label=row.label, test=row.test, url=c.url, tasks=tasks), c.task)


class PlumbEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """How tasks are asked: the most answers, how they build on each other, what is
    told of each, and how rewards are computed (docs/trainers.md); None takes the suite's."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})
    turns: int | None = None
    mode: str | None = None
    feedback: str | None = None
    threshold: float | None = None
    reward: str | None = None


class PlumbEnv(vf.Env[PlumbEnvConfig]):  # type: ignore[misc]
    """The agent answers, sees what became of its answer, and goes on."""

    async def run(self, task: Any, agents: Any) -> None:
        """Plays one episode. Raises Unscorable, BadLabel, Unavailable: the rollout has
        an error then and can be tried again."""
        data, c = task.data, self.config
        client = AsyncClient(rows.find(data.url, data.tasks)[0])
        options = {k: getattr(c, k) for k in ("turns", "mode", "feedback", "threshold", "reward")}
        episode = AsyncEpisode(data.label, client=client, **options)
        turn = await episode.reset()
        async with agents.agent.interaction(task) as interaction:
            while not turn.done:
                segment = await interaction.turn([vf.UserMessage(content=turn.content())])
                if segment.terminated:
                    break
                turn = await episode.step(segment.last_reply)
                _record(interaction.trace, turn)
        if turn.result is not None and turn.result.reward is not None:
            total = turn.total if turn.total is not None else turn.result.reward
            interaction.trace.record_reward("plumb", total, 1.0)


def _record(trace: Any, turn: Turn) -> None:
    """Notes the score of a turn in the trace. Raises Unscorable where it has none."""
    if turn.failed or turn.result is None or turn.result.score is None:
        code = turn.result.error.code if turn.result and turn.result.error else "unknown"
        raise Unscorable(f"cannot score answer {turn.turn}: {code}", code=code)
    trace.record_metric(f"turn{turn.turn}", turn.result.score)
