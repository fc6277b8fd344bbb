"""The reward worker inside the real ROLL, with the real daemon.

In: the environment of `scripts/python.sh checkouts`, PLUMB_ROLL, the folder of ROLL's
sources, and the program plumb (PLUMB_BIN). The worker is made in this process, with
ROLL's own Worker, tokenizer and DataProto; no cluster is started but Ray, whose store
the worker needs. Checked: ROLL finds the class of the README, and rewards are those of
the daemon.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import types
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
FOLDER = tempfile.TemporaryDirectory()
sys.path[0] = str(HERE)
sys.path.insert(1, os.environ["PLUMB_ROLL"])
os.environ.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="", RAY_OVERRIDE_NODE_IP_ADDRESS="127.0.0.1", RAY_USAGE_STATS_ENABLED="0", RAY_raylet_start_wait_time_s="300",
                  PYTHONPATH=f"{HERE}:{os.environ['PLUMB_ROLL']}", WORKER_NAME="plumb", CLUSTER_NAME="plumb")  # fmt: skip

os.chdir(FOLDER.name)  # ROLL writes logs into the working folder as soon as it is imported

import numpy as np
import ray
import torch
from frameworks.words import SPECIAL, tokenizer
from roll.distributed.scheduler.protocol import DataProto
from roll.utils.import_utils import safe_import_class
from tests import daemon
from tests.daemon import foreign
from tests.readme import blocks


class Roll(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = daemon.shared().url
        ray.init(num_cpus=2, include_dashboard=False, logging_level="error", object_store_memory=100 << 20)
        cls.addClassCleanup(ray.shutdown)
        label, answer = foreign()
        cls.labels = [*map(daemon.label, daemon.items()[:24]), label]
        cls.answers = [*(i["response"] for i in daemon.items()[:24]), answer]
        tokenizer(cls.answers).save_pretrained(FOLDER.name)
        found = safe_import_class(re.findall(r"worker_cls: (\S+)", blocks("ROLL", "yaml")[0])[0])
        cls.worker = found(types.SimpleNamespace(offload_nccl=False, model_args=types.SimpleNamespace(model_name_or_path=FOLDER.name)))

    def batch(self, labels: list[str]) -> DataProto:
        """Each answer is one token."""
        ids = torch.tensor([[len(SPECIAL) + i] for i in range(len(labels))])
        return DataProto.from_dict(tensors={"responses": ids}, non_tensors={"label": np.array(labels, dtype=object)})

    def test_rewards(self) -> None:
        got = self.worker.compute_rewards(self.batch(self.labels))
        want = torch.tensor([*(e["reward"] for e in daemon.expected()[:24]), 0.0], dtype=torch.float16)
        self.assertEqual(got.batch["response_level_rewards"].tolist(), want.tolist())
        self.assertEqual(got.batch["scores"].tolist(), want.tolist())
        self.assertGreater(len(set(want.tolist())), 3)

    def test_bad_label(self) -> None:
        with self.assertRaisesRegex(ValueError, "nobody"):
            self.worker.compute_rewards(self.batch(['{"suite": "aspire", "id": "nobody"}']))


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
