"""The tasks: one per suite, and one for TangramPuzzle's Task 1.

In: where the items are (plumb_client.rows) and how they are asked. Out: samples
whose metadata holds the label and the test.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import generate
from plumb_client import Client, rows

from plumb_inspect._content import content
from plumb_inspect._scorer import plumb
from plumb_inspect._solver import plumb_turns

#: Part of a log's identity: scores of one version can be compared.
VERSION = "0.1.0"


def _sample(client: Client, found: rows.Rows, row: rows.Row) -> Sample:
    asked = content(client.prompt(row.label))
    metadata = {"label": row.label, "test": row.test}
    if found.tasks is not None:  # so that a log can be scored again
        metadata["plumb_tasks"] = dict(found.tasks)
    return Sample(input=[ChatMessageUser(content=asked)], id=row.id, target="", metadata=metadata)


def _task(
    suite: str, items: str | None, url: str | None, variant: str | None, outline: bool = False,
    turns: int | None = None, mode: str | None = None, feedback: str | None = None,
) -> Task:  # fmt: skip
    found = rows.load(suite, items, url, outline=outline)
    client = found.client
    several = (turns, mode, feedback) != (None, None, None)
    return Task(
        dataset=MemoryDataset([_sample(client, found, row) for row in found.rows], name=suite),
        solver=plumb_turns(url, turns, mode, feedback) if several else generate(),
        scorer=plumb(url=url, variant=variant),
        version=VERSION,
        metadata={"plumb_items": "plumb's own" if found.own else items or "the daemon's"},
    )


@task
def aspire(
    items: str | None = None, url: str | None = None, variant: str | None = None,
    turns: int | None = None, mode: str | None = None, feedback: str | None = None,
) -> Task:  # fmt: skip
    """ASPIRE: eight tests on a tldraw whiteboard.

    items: a task file, else those that the daemon has loaded, else eight of plumb's
    own. url: the daemon, else PLUMB_URL, else one that is started. variant: a named
    variant of the scoring rules. turns, mode, feedback: episodes of several turns.
    """
    return _task("aspire", items, url, variant, turns=turns, mode=mode, feedback=feedback)


@task
def drawingbench(
    items: str | None = None, url: str | None = None, variant: str | None = None,
    turns: int | None = None, mode: str | None = None, feedback: str | None = None,
) -> Task:  # fmt: skip
    """DrawingBench: mouse actions on a drawing app. Arguments are those of aspire."""
    return _task("drawingbench", items, url, variant, turns=turns, mode=mode, feedback=feedback)


@task
def tangram(
    items: str | None = None, url: str | None = None, variant: str | None = None,
    turns: int | None = None, mode: str | None = None, feedback: str | None = None,
) -> Task:  # fmt: skip
    """TangramPuzzle, Task 2: place the pieces. Arguments are those of aspire."""
    return _task("tangram", items, url, variant, turns=turns, mode=mode, feedback=feedback)


@task
def tangram_outline(items: str | None = None, url: str | None = None, variant: str | None = None) -> Task:
    """TangramPuzzle, Task 1: which silhouette. With items, the daemon at url has
    loaded their instances."""
    return _task("tangram", items, url, variant, outline=True)


@task
def spatialab(items: str | None = None, url: str | None = None, variant: str | None = None) -> Task:
    """SPATIALAB: questions on pictures. Open answers need a daemon with a judge."""
    return _task("spatialab", items, url, variant)


@task
def spaceeval(items: str | None = None, url: str | None = None, variant: str | None = None) -> Task:
    """SpaCE-Eval: questions on pictures."""
    return _task("spaceeval", items, url, variant)
