"""The verifier inside the real open-instruct, with the real daemon.

In: the environment of `scripts/python.sh checkouts`, PLUMB_OPEN_INSTRUCT, the folder of
open-instruct's sources, and the program plumb (PLUMB_BIN). Checked: its verifiers are
built with ours among them, rewards are those of the daemon, what could not be scored
has 0.0, and a label that cannot be used is an error.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import types
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
sys.path.insert(1, os.environ["PLUMB_OPEN_INSTRUCT"])
os.environ.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="")
# Its build writes this file, which a checkout lacks.
if not (Path(os.environ["PLUMB_OPEN_INSTRUCT"]) / "open_instruct" / "_version.py").exists():
    sys.modules["open_instruct._version"] = types.ModuleType("open_instruct._version")
    sys.modules["open_instruct._version"].__version__ = "0"  # type: ignore[attr-defined]

from open_instruct import ground_truth_utils as real
from tests import daemon
from tests.daemon import foreign
from tests.readme import blocks

ARGS = types.SimpleNamespace(
    llm_judge_model="x", llm_judge_max_tokens=1, llm_judge_max_context_length=1, llm_judge_temperature=0.0, llm_judge_timeout=1, seed=1,
    code_api_url="http://127.0.0.1:1/test_program", code_max_execution_time=1.0, code_pass_rate_reward_threshold=0.0,
    code_apply_perf_penalty=False, remap_verifier=None,
)  # fmt: skip


class OpenInstruct(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = daemon.shared().url
        exec(blocks("open-instruct", "python")[0], {})
        cls.verifiers = real.build_all_verifiers(ARGS, ARGS)

    def rewards(self, labels: list[str], answers: list[str]) -> list[float]:
        """What open-instruct makes of answers."""
        n = len(labels)
        got, parts = asyncio.run(real.apply_verifiable_reward(self.verifiers, [[1]] * n, answers, labels, ["plumb"] * n, reward_mult=10.0))
        self.assertEqual([p["plumb"] for p in parts], got)
        return list(got)

    def test_rewards(self) -> None:
        items = daemon.items()[:24]
        want = [10.0 * min(max(e["reward"], 0.0), 1.0) for e in daemon.expected()[:24]]
        label, answer = foreign()
        got = self.rewards([*map(daemon.label, items), label], [*(i["response"] for i in items), answer])
        self.assertEqual(got, [*want, 0.0])
        self.assertGreater(len(set(got)), 3)

    def test_verifier(self) -> None:
        verifier = self.verifiers["plumb"]
        self.assertIsInstance(verifier, real.VerifierFunction)
        label, answer = foreign()
        seen: Any = pickle.loads(pickle.dumps(verifier))([1], answer, label)
        self.assertIsInstance(seen, real.VerificationResult)
        self.assertIn("cannot score", seen.reasoning)

    def test_bad_label(self) -> None:
        with self.assertRaisesRegex(ValueError, "nobody"):
            self.rewards(['{"suite": "aspire", "id": "nobody"}'], ["x"])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
