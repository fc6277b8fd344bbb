"""The ORS server in the real openreward, asked by its own client, with the real daemon.

In: the environment of `scripts/python.sh openreward`, the program plumb (PLUMB_BIN).
Checked: the command of the README serves; splits, tasks, a prompt with a picture, and
two answers with the rewards of `plumb score`; what could not be scored is an error of
the call.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import unittest
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
os.environ.pop("PLUMB_URL", None)
os.environ.update(OPENREWARD_API_KEY="none", PYTHONPATH=str(HERE))

from frameworks import episodes
from frameworks.episodes import BETTER, VAGUE, WORSE
from openreward import OpenReward
from tests.readme import ROOT, blocks


def serve(case: type[unittest.TestCase], command: str) -> str:
    """Starts a server with a command of shell; returns its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    command = command.replace("8080", port).replace("python ", f"{sys.executable} ")
    server = subprocess.Popen(["bash", "-c", f"exec {command} >/dev/null 2>&1"], cwd=ROOT)
    case.addClassCleanup(lambda: (server.kill(), server.wait()))
    while server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health")
            return f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server ended with {server.returncode}")


class Ors(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.url = serve(cls, blocks("ORS (openreward)", "sh")[0].strip())

    def test_session(self) -> None:
        env = OpenReward().environments.get(name="plumb", variant="aspire", base_url=self.url)
        self.assertEqual([getattr(s, "name", s) for s in env.list_splits()], ["test"])
        tasks = env.list_tasks(split="test")
        self.assertEqual([t.task_spec["id"] for t in tasks], list(episodes.tasks()))
        with env.session(task=tasks[episodes.seed_of("arrow-00")]) as session:
            self.assertEqual([b.type for b in session.get_prompt()], ["image", "text"])
            first = session.call_tool("answer", {"answer": WORSE})
            self.assertEqual((first.reward, first.finished, first.metadata["score"]), (0.0, False, episodes.score("arrow-00", WORSE)))
            self.assertEqual([b.type for b in first.blocks], ["image", "text"])
            second = session.call_tool("answer", {"answer": BETTER})
            self.assertEqual((second.reward, second.finished), (episodes.score("arrow-00", BETTER), True))

    def test_what_cannot_be_scored(self) -> None:
        """An error of the call, which can be repeated, and no reward."""
        url = serve(type(self), f"python -m plumb_client.openreward --url {episodes.plumb().url} --port 8080")
        env = OpenReward().environments.get(name="plumb", variant="spaceeval", base_url=url)
        with env.session(task=env.list_tasks(split="test")[0]) as session:
            for _ in range(2):
                with self.assertRaisesRegex(Exception, "unjudged"):
                    session.call_tool("answer", {"answer": VAGUE})

    def test_lost_in_the_middle(self) -> None:
        """With another daemon at the address a session goes on as one that was not cut."""
        d = episodes.Mortal(self)

        def told(url: str, lose: Callable[[], None]) -> list[Any]:
            served = serve(type(self), f"python -m plumb_client.openreward --url {url} --turns 2 --port 8080")
            env = OpenReward().environments.get(name="plumb", variant="aspire", base_url=served)
            with env.session(task=env.list_tasks(split="test")[episodes.seed_of("arrow-00")]) as session:
                first = session.call_tool("answer", {"answer": WORSE})
                lose()
                second = session.call_tool("answer", {"answer": BETTER})
            return [(o.blocks, o.metadata, o.reward, o.finished) for o in (first, second)]

        cut = told(d.url, d.restart)
        self.assertEqual((d.restarts, cut[1][2:]), (1, (episodes.score("arrow-00", BETTER), True)))
        self.assertEqual(cut, told(episodes.plumb().url, lambda: None))

    def test_tools(self) -> None:
        tools = OpenReward().environments.get(name="plumb", variant="aspire", base_url=self.url).list_tools()
        self.assertEqual([t.name for t in tools], ["answer"])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
