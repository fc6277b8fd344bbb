"""The environment for SkyRL in the real skyrl-gym, with the real daemon.

In: the environment of `scripts/python.sh skyrl`, the program plumb (PLUMB_BIN).
Checked: the block of code of the README registers it, skyrl_gym.make makes it, and
rewards of episodes of one turn and of several are the daemon's.
"""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)

import skyrl_gym
from frameworks import episodes
from frameworks.episodes import BETTER, UNSCORABLE, VAGUE, WORSE
from tests import daemon
from tests.readme import blocks
from tests.daemon import foreign


class SkyRL(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = daemon.shared().url
        exec(blocks("SkyRL", "python")[0], {})

    def step(self, label: str, answer: str) -> dict[str, object]:
        """One episode, as SkyRL's generator plays it."""
        env = skyrl_gym.make("plumb", env_config={}, extras={"reward_spec": {"method": "rule", "ground_truth": label}})
        prompt = [{"role": "user", "content": "draw"}]
        self.assertEqual(env.init(prompt), (prompt, {}))
        out = env.step(answer)
        env.close()
        return dict(out)

    def test_rewards(self) -> None:
        for item, want in list(zip(daemon.items(), daemon.expected()))[:24]:
            for label in (daemon.label(item), daemon.reference(item)):
                out = self.step(label, item["response"])
                self.assertEqual((out["reward"], out["done"], out["observations"]), (want["reward"], True, []))
                self.assertEqual(out["metadata"], {"raw": want["score"], "failed": 0.0, "status": want["status"]})

    def test_several_turns(self) -> None:
        label, prompt = episodes.label("arrow-00"), [{"role": "system", "content": "s"}, {"role": "user", "content": "draw"}]
        extras = {"reward_spec": {"ground_truth": label}, "max_turns": 2}
        env = skyrl_gym.make("plumb", env_config={"turns": 5, "url": episodes.plumb().url}, extras=extras)
        asked, _ = env.init(prompt)
        self.assertEqual((asked[0], [p["type"] for p in asked[1]["content"]]), (prompt[0], ["image_url", "text"]))
        out = env.step(WORSE)
        self.assertEqual((out["reward"], out["done"], out["metadata"]["raw"]), (0.0, False, episodes.score("arrow-00", WORSE)))
        self.assertEqual([p["type"] for p in out["observations"][0]["content"]], ["image_url", "text"])
        out = env.step(BETTER)
        self.assertEqual((out["reward"], out["done"], out["observations"]), (episodes.score("arrow-00", BETTER), True, []))
        self.assertEqual(env.get_metrics(), {"raw": out["reward"], "failed": 0.0, "turns": 2.0})

    def test_lost_in_the_middle(self) -> None:
        d = episodes.Mortal(self)

        def made(url: str) -> Any:
            extras = {"reward_spec": {"ground_truth": episodes.label("arrow-00")}, "max_turns": 3}
            env = skyrl_gym.make("plumb", env_config={"turns": 3, "threshold": 2.0, "url": url, "timeout": 2.0}, extras=extras)
            env.init([{"role": "user", "content": "draw"}])
            return env

        cut, whole = made(d.url), made(episodes.plumb().url)
        episodes.check_lost(self, d, cut, whole)
        self.assertEqual(cut.get_metrics(), {"raw": episodes.score("arrow-00", BETTER), "failed": 0.0, "turns": 3.0})

    def test_several_turns_that_cannot_be_scored(self) -> None:
        extras = {"reward_spec": {"ground_truth": UNSCORABLE}}
        env = skyrl_gym.make("plumb", env_config={"images": "all", "url": episodes.plumb().url}, extras=extras)
        env.init([{"role": "user", "content": "x"}])
        out = env.step(VAGUE)
        self.assertEqual((out["reward"], out["done"], out["metadata"]["failed"], env.get_metrics()["failed"]), (0.0, True, 1.0, 1.0))

    def test_unscorable(self) -> None:
        out = self.step(*foreign())
        self.assertEqual((out["reward"], out["metadata"]["failed"]), (0.0, 1.0))

    def test_bad_label(self) -> None:
        with self.assertRaisesRegex(ValueError, "nobody"):
            self.step('{"suite": "aspire", "id": "nobody"}', "x")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
