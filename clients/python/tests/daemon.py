"""The real daemon, for tests: PLUMB_BIN serve on a free port and a socket."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
BIN = os.environ.get("PLUMB_BIN", str(ROOT / "bin" / "plumb"))


@cache
def folder() -> Path:
    """A folder that ends with the process."""
    d = Path(tempfile.mkdtemp(prefix="plumb-py"))
    atexit.register(shutil.rmtree, d, True)
    return d


@cache
def items() -> list[dict[str, Any]]:
    """Answered items: the sample dump, a few of each test and answerer."""
    lines = (ROOT / "testdata" / "aspire" / "demo.jsonl").read_text().splitlines()
    return [i for i in map(json.loads, lines[::7]) if i.get("response")]


def task(item: dict[str, Any]) -> dict[str, Any]:
    """The item without its answer: what a label holds."""
    return {k: v for k, v in item.items() if k not in ("response", "model", "prompt")}


def label(item: dict[str, Any]) -> str:
    """The whole task as a label."""
    return json.dumps(task(item))


def reference(item: dict[str, Any]) -> str:
    """A label that names a task of the daemon's task file."""
    return json.dumps({"suite": item["suite"], "id": item["id"]})


def foreign() -> tuple[str, str]:
    """A label and an answer that only the editor could draw. Tests run without it, so the answer
    cannot be scored."""
    item = next(i for i in items() if i["test"] == "balance")
    shape = {"id": "shape:new", "type": "geo", "x": 100, "y": 100,
             "props": {"geo": "rectangle", "w": 200, "h": 200, "text": "\U0001f600", "fill": "solid"}}  # fmt: skip
    return label(item), json.dumps({"createShapes": [shape], "updateShapes": [], "deleteShapes": []})


@cache
def tasks_file() -> Path:
    """A task file of our own making."""
    path = folder() / "tasks.jsonl"
    path.write_text("".join(label(i) + "\n" for i in items()))
    return path


@cache
def expected() -> tuple[dict[str, Any], ...]:
    """The result lines of `plumb score` for items()."""
    dump = folder() / "dump.jsonl"
    dump.write_text("".join(json.dumps(i) + "\n" for i in items()))
    out = subprocess.run(
        [BIN, "score", "--backend", "cpu", "--fidelity", "native", "-o", "-", str(dump)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    return tuple(json.loads(line) for line in out.stdout.splitlines())


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that finds plumb's fonts."""
    return {**os.environ, "PLUMB_FONTS": str(ROOT / "build" / "fonts"), **more}


class Daemon:
    """A daemon of its own. url and socket are where it listens."""

    def __init__(self, *flags: str, socket: Path | None = None, tasks: bool = True, **env: str) -> None:
        self.socket = socket or folder() / f"{id(self)}.sock"
        self.process = subprocess.Popen(
            [BIN, "serve", "--backend", "cpu", "--fidelity", "native", "--listen", "127.0.0.1:0",
             "--socket", str(self.socket), "--drain-grace", "0s", *flags,
             *(["--tasks", f"aspire={tasks_file()}"] if tasks else [])],
            env=environment(**env), stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        atexit.register(self.process.kill)
        self.log: list[str] = []
        address = None
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)
            if m := re.match(r"listening on (\S+)", line):
                address = m[1]
                break
        if address is None:
            raise RuntimeError("the daemon does not start:\n" + "".join(self.log))
        self.url = f"http://{address}"
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def stop(self) -> None:
        """Ends it with SIGTERM and waits."""
        self.process.terminate()
        self.process.wait(60)


@cache
def shared() -> Daemon:
    """The daemon that most tests ask."""
    return Daemon()
