"""The tasks of a suite as rows of a dataset, for packages of environments and evals.

In: a suite, and where its tasks are: a file, a daemon that has loaded some, or none
of these, for the few tasks that come with this package. Out: an address and rows with a
label each. Refused: a file that a running daemon would have to load itself.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumb_client import local
from plumb_client.client import Client

log = logging.getLogger("plumb_client")

#: Tasks of our own, for a first look. They are not those of the benchmarks.
OWN = Path(__file__).parent / "items"
OWN_FILES = {"aspire": "aspire.jsonl", "drawingbench": "drawingbench.json", "tangram": "tangram.jsonl",
             "spatialab": "spatialab.jsonl", "spaceeval": "spaceeval.jsonl"}  # fmt: skip

SUITES = tuple(OWN_FILES)


@dataclass(frozen=True)
class Row:
    """A task: its label, and the id and test under which results name it."""

    label: str
    id: str
    test: str


@dataclass(frozen=True)
class Rows:
    """Tasks and the daemon that scores them. own says that they are this package's.
    tasks are the files with which a daemon is started that knows the labels; None
    where any daemon will do, or the one that was given."""

    url: str
    rows: Sequence[Row]
    own: bool
    tasks: local.Tasks | None = None

    @property
    def client(self) -> Client:
        """A client of the daemon."""
        return Client(self.url)


def load(
    suite: str, items: str | os.PathLike[str] | None = None, url: str | None = None, *, split: str = "test", outline: bool = False
) -> Rows:
    """The tasks of suite: those of the file items; without one those that the daemon
    at url (else PLUMB_URL) has loaded as split; without both our own few. Without a
    daemon one is started (local.find). outline is TangramPuzzle's Task 1, whose items
    name instances that the daemon has loaded.

    Raises ValueError for an unknown suite, for a file that is no list of items, and
    where there are no tasks.
    """
    if suite not in OWN_FILES:
        raise ValueError(f"cannot load tasks: got suite {suite!r}; want one of {', '.join(SUITES)}")
    files = None if items is None or outline else {suite: os.path.abspath(items)}
    address, started = find(url, files)
    own = items is None and (started or outline)
    if items is not None and outline and started:
        raise ValueError("cannot load outline items: their instances are missing; want a daemon (url, PLUMB_URL) started with --tasks tangram=INSTANCES")
    if outline or items is not None and not started:
        found = _lines(Path(items) if items is not None else OWN / "outlines.jsonl", suite)
    elif started or suite in Client(address).task_suites():
        found = [_row(t, suite) for t in Client(address).tasks(suite, split)]
    elif suite == "drawingbench":
        raise ValueError("cannot load tasks: the daemon has none of drawingbench; want it started with --tasks drawingbench=FILE")
    else:
        found = _lines(OWN / OWN_FILES[suite], suite)
        own = True
    if not found:
        raise ValueError(f"cannot load tasks: there is none of {suite} in {items or address}")
    if own:
        log.warning("%s: %d tasks of plumb's own, which are not the benchmark's; name a file with items=FILE", suite, len(found))
    return Rows(address, found, own, files if started else None)


def find(url: str | None = None, tasks: local.Tasks | None = None) -> tuple[str, bool]:
    """local.find, with our own tasks where none are named. Waits until the daemon is ready."""
    address, started = local.find(url, tasks or {s: OWN / f for s, f in OWN_FILES.items()})
    Client(address).wait_until_ready()
    return address, started


def find_with(url: str | None, tasks: local.Tasks | None) -> str:
    """The address of find(). Raises ValueError where tasks are named and the daemon is
    one that runs already, which would ignore them."""
    address, started = find(url, tasks)
    if tasks and not started:
        raise ValueError(f"cannot load tasks into {address}: it runs already; want it started with --tasks, or neither url nor PLUMB_URL")
    return address


def _lines(path: Path, suite: str) -> list[Row]:
    found = []
    for n, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            if item.get("suite", suite) == suite:
                task = {k: v for k, v in item.items() if k not in ("response", "model")}
                found.append(_row({**task, "label": json.dumps({"suite": suite, **task})}, suite))
        except (ValueError, AttributeError):
            raise ValueError(
                f"cannot read {path}, line {n}: want one item per line, as JSON; a file of another form must be loaded by the daemon (--tasks)"
            ) from None
    return found


def _row(task: dict[str, Any], suite: str) -> Row:
    label = task["label"]
    name = next((task[k] for k in ("id", "instance_id") if task.get(k)), "")
    return Row(label if isinstance(label, str) else json.dumps(label), str(name), str(task.get("test") or task.get("subcategory") or suite))


