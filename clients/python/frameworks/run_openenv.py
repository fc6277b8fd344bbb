"""The daemon as an environment of the real openenv, and plumb_env's client.

In: the environment of `scripts/python.sh openenv` with the wheel of plumb-env, the
program plumb (PLUMB_BIN). Checked: the states of a session with OpenEnv's own client;
rewards are those of `plumb score`; sessions that are lost in the middle of an episode
go on with PlumbEnv, many at a time; `openenv validate` of the daemon and of the
package, and its graders of running environments, which it keeps for Docker images, on
an exchange that its own collector records.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
os.environ.pop("PLUMB_URL", None)

from frameworks import episodes
from frameworks.episodes import BETTER, UNSCORABLE, VAGUE, WORSE
from openenv.core import GenericEnvClient
from openenv.validation.graders.runtime import basic
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import load_runtime_plan
from plumb_env import PlumbEnv
from tests.readme import blocks

SCRIPT = str(Path(sys.executable).parent / "openenv")


class OpenEnv(unittest.TestCase):
    def setUp(self) -> None:
        self.url = episodes.plumb().url
        self.arrow = {"suite": "aspire", "split": "test", "index": episodes.seed_of("arrow-00")}

    def test_readme(self) -> None:
        scope: dict[str, Any] = {"url": self.url}
        exec(blocks("OpenEnv", "python")[0], scope)
        self.assertEqual((scope["seen"].observation["turn"], scope["seen"].done), (1, False))

    def test_states(self) -> None:
        """Each row of the table of states, with OpenEnv's own client."""
        with GenericEnvClient(base_url=self.url).sync() as env:
            with self.assertRaisesRegex(RuntimeError, "VALIDATION_ERROR"):  # empty
                env.step({"response": BETTER})
            one = env.step({"response": BETTER, "label": episodes.label("arrow-00")})
            self.assertEqual((one.reward, one.done), (episodes.score("arrow-00", BETTER), True))
            first = env.reset(**self.arrow, turns=2)  # open
            self.assertEqual((first.reward, first.done, first.observation["turn"]), (None, False, 0))
            self.assertTrue(first.observation["images"][0]["data"].startswith("data:image/png;base64,"))
            with self.assertRaisesRegex(RuntimeError, "VALIDATION_ERROR"):
                env.step({"response": BETTER, "label": episodes.label("arrow-00")})
            seen = env.step({"response": WORSE})
            self.assertEqual((seen.reward, seen.done, seen.observation["scores"]), (0.0, False, [episodes.score("arrow-00", WORSE)]))
            seen = env.step({"response": BETTER})
            self.assertEqual((seen.reward, seen.done, seen.observation["return"]), (episodes.score("arrow-00", BETTER), True, seen.reward))
            with self.assertRaisesRegex(RuntimeError, "EXECUTION_ERROR"):  # done
                env.step({"response": BETTER})
            again = env.reset(**self.arrow, turns=2)
            self.assertEqual(again.observation, first.observation)
            with self.assertRaisesRegex(RuntimeError, "VALIDATION_ERROR.*|turns.*VALIDATION_ERROR"):
                env.reset(**self.arrow, turns=1000)

    def test_what_cannot_be_scored(self) -> None:
        with GenericEnvClient(base_url=self.url).sync() as env:
            env.reset(label=UNSCORABLE, turns=1, images="none")
            seen = env.step({"response": VAGUE})
            self.assertEqual((seen.reward, seen.done, seen.observation["error"]["code"]), (None, True, "unjudged"))

    def test_killed_in_the_middle(self) -> None:
        """Sessions through a kill: every episode ends as one that was not cut."""
        d = episodes.Mortal(self)
        cut, whole = asyncio.run(self.play(d, True)), asyncio.run(self.play(d, False))
        self.assertEqual(len(cut), 64)
        self.assertEqual(cut, whole)
        self.assertEqual({r for r, _, _ in cut}, {episodes.score("arrow-00", BETTER)})

    async def play(self, d: episodes.Mortal, kill: bool) -> list[Any]:
        """64 episodes of three turns; what the last step of each gave."""
        envs = [PlumbEnv(base_url=d.url) for _ in range(64)]
        await asyncio.gather(*(e.reset(**self.arrow, turns=3, threshold=2.0, images="first") for e in envs))
        await asyncio.gather(*(e.step({"response": WORSE}) for e in envs))
        if kill:
            d.restart()
        await asyncio.gather(*(e.step({"response": WORSE}) for e in envs))
        last = await asyncio.gather(*(e.step({"response": BETTER}) for e in envs))
        await asyncio.gather(*(e.close() for e in envs))
        return [(s.reward, s.done, s.observation) for s in last]

    def test_validate(self) -> None:
        """OpenEnv's own checks of the running daemon, and of the package."""
        done = subprocess.run([SCRIPT, "validate", "--url", self.url, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn('"passed": false', done.stdout)
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "plumb"
            shutil.copytree(HERE.parent / "openenv", package)
            done = subprocess.run([SCRIPT, "validate", str(package)], capture_output=True, text=True)
        self.assertRegex(done.stdout, r"PASS\s+static\.manifest")
        self.assertNotRegex(done.stdout, r"FAIL\s+\w+\.\w+")

    def test_plan(self) -> None:
        """The package's plan, played by OpenEnv's collector: a worse answer, then one near
        the best. OpenEnv's graders pass the exchange, and fail one that was spoilt."""
        package = HERE.parent / "openenv"
        manifest = OpenEnvYamlParser().parse(package)
        plan = load_runtime_plan(package, SimpleNamespace(probe_path="plan.json"))
        seen = collect_runtime_evidence(self.url, plan, episode_timeout_s=manifest.resources.episode_timeout_s)
        self.assertIsNone(seen.failure_reason)
        rewards = [json.loads(e.response_json)["data"]["reward"] for e in seen.exchanges if e.operation == "step"]
        self.assertEqual(rewards, [0.0, episodes.score("arrow-00", BETTER)])
        graders = [basic.RewardWellFormedGrader(), basic.ObservationSchemaGrader(), basic.StateContractGrader()]
        # One grader starts a process and gives it five seconds. A busy machine may need longer to start Python.
        run = subprocess.run
        patch = mock.patch.object(basic.subprocess, "run", lambda *args, **kw: run(*args, **{**kw, "timeout": 300}))
        patch.start()
        self.addCleanup(patch.stop)
        self.assertEqual([g.run(SimpleNamespace(manifest=manifest, runtime_evidence=seen)).status.value for g in graders], ["pass"] * 3)
        spoilt = [replace(e, response_json=e.response_json.replace('"reward":0', '"reward":null').replace('"observation":{', '"observation":{"suite":5,"x":{').replace('"step_count":', '"step_count":9'))
                  for e in seen.exchanges]  # fmt: skip
        found = [g.run(SimpleNamespace(manifest=manifest, runtime_evidence=replace(seen, exchanges=tuple(spoilt)))).status.value for g in graders]
        self.assertEqual(found, ["fail"] * 3)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
