"""The environment inside the real NeMo-RL, as an actor of a real Ray, with the real
daemon.

In: the environment of `scripts/python.sh checkouts`, PLUMB_NEMO_RL, the folder of
NeMo-RL's sources, and the program plumb (PLUMB_BIN). Checked: create_env finds it after
the README's call, rewards are those of the daemon, what could not be scored is told
and counted, and a label that cannot be used is an error.
"""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
sys.path.insert(1, os.environ["PLUMB_NEMO_RL"])
os.environ.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="", RAY_OVERRIDE_NODE_IP_ADDRESS="127.0.0.1", RAY_USAGE_STATS_ENABLED="0", RAY_raylet_start_wait_time_s="300",
                  PYTHONPATH=f"{HERE}:{os.environ['PLUMB_NEMO_RL']}")  # fmt: skip

import ray
from nemo_rl.distributed.batched_data_dict import BatchedDataDict
from nemo_rl.environments.utils import create_env
from nemo_rl.experience.rollouts import calculate_rewards
from tests import daemon
from tests.daemon import foreign
from tests.readme import blocks


class NemoRl(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = daemon.shared().url
        ray.init(num_cpus=2, include_dashboard=False, logging_level="error", object_store_memory=100 << 20)
        cls.addClassCleanup(ray.shutdown)
        exec(blocks("NeMo-RL", "python")[0], {})
        cls.env = create_env("plumb", {"url": daemon.shared().url})

    def step(self, labels: list[str], answers: list[str]) -> Any:
        """What NeMo-RL makes of a batch."""
        log = [[{"role": "user", "content": "draw it"}, {"role": "assistant", "content": a}] for a in answers]
        batch = BatchedDataDict({"message_log": log, "task_name": ["plumb"] * len(labels), "extra_env_info": [{"label": v} for v in labels]})
        return calculate_rewards(batch, {"plumb": self.env})

    def test_rewards(self) -> None:
        items = daemon.items()[:24]
        label, answer = foreign()
        got = self.step([*map(daemon.label, items), label], [*(i["response"] for i in items), answer])
        import torch

        want = torch.tensor([*(e["reward"] for e in daemon.expected()[:24]), 0.0])
        self.assertEqual(got.rewards.tolist(), want.tolist())
        self.assertEqual(got.terminateds.tolist(), [1.0] * 25)
        self.assertIn("cannot score", got.observations[-1]["content"])
        _, metrics = ray.get(self.env.global_post_process_and_metrics.remote(BatchedDataDict({"rewards": got.rewards})))
        self.assertEqual(metrics["plumb/failed"], 1 / 25)

    def test_bad_label(self) -> None:
        with self.assertRaisesRegex(ValueError, "nobody"):
            self.step(['{"suite": "aspire", "id": "nobody"}'], ["x"])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
