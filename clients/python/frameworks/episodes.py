"""What the tests of episodes share: a daemon with tasks, answers, and what `plumb
score` says of them.

ASPIRE's arrow task has answers of known scores: the nearer to -0.174 the rotation,
the better.
"""

from __future__ import annotations

import json
import threading
from functools import cache
from pathlib import Path
from typing import Any

import plumb_client
from tests import daemon

HERE = Path(__file__).resolve().parents[1]
TASKS = HERE / "examples" / "tasks.jsonl"
WORSE, BETTER = '{"rotation": -0.3}', '{"rotation": -0.16}'
#: A task and an answer that cannot be scored.
UNSCORABLE, VAGUE = '{"suite": "spaceeval", "id": "se-own-13"}', "the large one"


@cache
def plumb() -> daemon.Daemon:
    """The daemon with the tasks of the examples, and questions that need a judge, which it
    lacks: their answers cannot be scored."""
    questions = HERE / "plumb_client" / "items" / "spaceeval.jsonl"
    return daemon.Daemon("--tasks", f"aspire={TASKS}", "--tasks", f"spaceeval={questions}", tasks=False)


def restarted(d: daemon.Daemon) -> daemon.Daemon:
    """Kills a daemon and starts another at its address, which knows nothing of its
    episodes."""
    d.process.kill()
    d.process.wait()
    return daemon.Daemon("--tasks", f"aspire={TASKS}", "--listen", d.url.removeprefix("http://"), tasks=False)


class Mortal:
    """A daemon that a test ends in the middle of an episode. url is its address."""

    def __init__(self) -> None:
        self.running = daemon.Daemon("--tasks", f"aspire={TASKS}", tasks=False)
        self.url = self.running.url
        self.restarts = 0
        self._once = threading.Lock()

    def restart(self) -> None:
        """Kills the daemon and starts it again."""
        self.running = restarted(self.running)
        self.restarts += 1

    def restart_once(self) -> None:
        """restart() at the first call, from whichever thread; all others wait for it."""
        with self._once:
            if self.restarts == 0:
                self.restart()

    def stop(self) -> None:
        """Ends it."""
        self.running.stop()


@cache
def tasks() -> dict[str, dict[str, Any]]:
    """The tasks by their id."""
    return {t["id"]: t for t in map(json.loads, TASKS.read_text().splitlines())}


@cache
def score(name: str, answer: str) -> float:
    """The reward of an answer to a task of one turn."""
    result = plumb_client.Client(plumb().url).reward(json.dumps(tasks()[name]), answer)
    assert result.reward is not None
    return result.reward


def seed_of(name: str) -> int:
    """The seed that names a task: its place in the file."""
    return list(tasks()).index(name)


def label(name: str) -> str:
    """A reference to a task."""
    return json.dumps({"suite": "aspire", "id": name})
