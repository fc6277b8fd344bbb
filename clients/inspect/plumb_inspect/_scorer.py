"""The scorer, for running evals and for logs of earlier ones."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState
from plumb_client import AsyncClient, rows

#: The key of the store under which plumb_turns leaves the text that has the episode's score.
ANSWER = "plumb_answer"


async def task_of(state: TaskState, url: str | None) -> tuple[str, AsyncClient]:
    """The label of a sample, and a client of the daemon that can score it."""
    metadata = state.metadata or {}
    if "label" not in metadata:
        raise ValueError("cannot find label: want it in the sample's metadata['label']")
    address, _ = await asyncio.to_thread(rows.find, url, metadata.get("plumb_tasks"))  # it may start a daemon
    return metadata["label"], AsyncClient(address)


@scorer(metrics=[mean(), stderr(), grouped(mean(), "test")])
def plumb(url: str | None = None, variant: str | None = None) -> Scorer:
    """Scores by the label in metadata["label"] of the sample. The value is the
    benchmark's own number, not clamped; the result line stands in the metadata.

    url: the daemon, else PLUMB_URL, else one that is started. variant: a named
    variant of the scoring rules. A sample that could not be scored is unscored.
    Raises BadLabel for a label that cannot be used.
    """

    async def score(state: TaskState, target: Target) -> Score:
        label, client = await task_of(state, url)
        answer = state.store.get(ANSWER, state.output.completion)
        result = await client.reward(label, answer, variants=[variant] if variant else [])
        line: dict[str, Any] = dict(result.line)
        if result.score is None:
            code = result.error.code if result.error else "unknown"
            message = result.error.message if result.error else ""
            return Score.unscored(reason="scoring_failed", explanation=code, answer=answer, metadata={**line, "plumb_error": message})
        return Score(value=result.score, answer=answer, explanation=result.status, metadata=line)

    return score
