"""The environments of GEM in the real package, with the real daemon.

In: the environment of `scripts/python.sh gem`, the program plumb (PLUMB_BIN).
Checked: gem.make makes them, episodes of several turns have the rewards of `plumb
score`, seeds name tasks, and what could not be scored is an exception.
"""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)

import gem
from frameworks import episodes
from frameworks.episodes import BETTER, VAGUE, WORSE
from tests.readme import blocks

import plumb_client


class Gem(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = episodes.plumb().url

    def test_readme(self) -> None:
        scope = {"answer": BETTER}
        exec(blocks("GEM", "python")[0], scope)
        self.assertGreater(len(scope["observation"]), 0)

    def test_two_turns(self) -> None:
        plumb_client.gem.register()
        env = gem.make("plumb:aspire", turns=2)
        first, info = env.reset(seed=episodes.seed_of("arrow-00"))
        self.assertIn("rotation", first)
        self.assertTrue(info["images"][0].startswith(b"\x89PNG"))
        self.assertEqual(env.reset(seed=episodes.seed_of("arrow-00")), (first, info))
        said, reward, terminated, truncated, info = env.step(WORSE)
        self.assertEqual((reward, terminated, truncated, info["score"]), (0.0, False, False, episodes.score("arrow-00", WORSE)))
        self.assertIn("Score", said)
        said, reward, terminated, truncated, info = env.step(BETTER)
        self.assertEqual((said, reward, terminated, truncated), ("", episodes.score("arrow-00", BETTER), True, False))
        self.assertEqual(info["return"], reward)
        other, _ = env.spawn().reset(seed=episodes.seed_of("maze-00"))
        self.assertNotEqual(other, first)

    def test_lost_in_the_middle(self) -> None:
        d = episodes.Mortal(self)
        plumb_client.gem.register()
        cut, whole = (gem.make("plumb:aspire", turns=3, threshold=2.0, url=url) for url in (d.url, episodes.plumb().url))
        cut.client = plumb_client.Client(d.url, timeout=2.0)
        seed = episodes.seed_of("arrow-00")
        self.assertEqual(cut.reset(seed=seed), whole.reset(seed=seed))
        _, reward, *_ = episodes.check_lost(self, d, cut, whole)
        self.assertEqual(reward, episodes.score("arrow-00", BETTER))

    def test_tasks_in_turn(self) -> None:
        env = gem.make("plumb:aspire")
        seen = [env.reset()[0] for _ in range(len(episodes.tasks()) + 1)]
        self.assertEqual(seen[0], seen[-1])
        self.assertEqual(len(set(seen)), len(episodes.tasks()))

    def test_what_cannot_be_scored(self) -> None:
        env = gem.make("plumb:spaceeval")
        env.reset(seed=0)
        for _ in range(2):  # the step can be repeated
            with self.assertRaisesRegex(plumb_client.Unscorable, "unjudged"):
                env.step(VAGUE)

    def test_unknown_suite(self) -> None:
        with self.assertRaisesRegex(ValueError, "nope.*aspire"):
            plumb_client.gem.PlumbEnv("nope")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
