"""What the tests of episodes share: a daemon with tasks, answers, and what `plumb
score` says of them.

ASPIRE's arrow task has answers of known scores: the nearer to -0.174 the rotation,
the better.
"""

from __future__ import annotations

import json
import threading
import unittest
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


class Mortal:
    """A daemon that a test may kill and restart in the middle of an episode. url is its
    address; it ends with the test."""

    def __init__(self, test: unittest.TestCase) -> None:
        self.running = daemon.Daemon("--tasks", f"aspire={TASKS}", tasks=False)
        self.url = self.running.url
        self.restarts = 0
        self._once = threading.Lock()
        test.addCleanup(self.kill)

    def kill(self) -> None:
        """Kills the daemon: nobody listens at its address."""
        self.running.process.kill()
        self.running.process.wait()

    def restart(self) -> None:
        """Kills the daemon and starts another at its address, which has none of its
        episodes."""
        self.kill()
        self.running = daemon.Daemon("--tasks", f"aspire={TASKS}", "--listen", self.url.removeprefix("http://"), tasks=False)
        self.restarts += 1

    def restart_once(self) -> None:
        """restart() at the first call, from whichever thread; all others wait for it."""
        with self._once:
            if self.restarts == 0:
                self.restart()

    def answer(self, messages: list[dict[str, Any]]) -> str:
        """A model that answers twice, the second time better. Before its first better answer
        the daemon is killed and started again."""
        if len(messages) == 1:
            return WORSE
        self.restart_once()
        return BETTER


def check_lost(test: unittest.TestCase, d: Mortal, cut: Any, whole: Any) -> Any:
    """Plays two environments after their reset with the same answers; d is the daemon of cut
    and is killed meanwhile. Without a daemon a step is an error and can be repeated; with
    another daemon at the address the episode of cut goes on as that of whole. Returns what
    the last step gave."""
    test.assertEqual(cut.step(WORSE), whole.step(WORSE))
    d.kill()
    with test.assertRaises(plumb_client.Unavailable):
        cut.step(WORSE)
    d.restart()
    test.assertEqual(cut.step(WORSE), whole.step(WORSE))
    last = cut.step(BETTER)
    test.assertEqual(last, whole.step(BETTER))
    return last


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
