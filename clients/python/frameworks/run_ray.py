"""A run on a real Ray cluster of this machine, with the real program.

In: the environment of `scripts/python.sh ray`, the program plumb (PLUMB_BIN).
Checked: the file is that of one process, for several shards at once, and a second
call finds nothing to do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
os.environ["PYTHONPATH"] = str(HERE)  # for the processes that Ray starts

import ray
from plumb_client import ray_jobs
from tests import daemon


class Ray(unittest.TestCase):
    def test_score(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, daemon.environment()):
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            dump, lines = Path(folder) / "dump.jsonl", [json.dumps(i) for i in daemon.items()]
            with dump.open("w") as f:
                for n in range(5000):  # a shard has 2,000 lines
                    f.write(lines[n % len(lines)] + "\n")
            flags = ["--backend", "cpu", "--paper", "none", str(dump), "-o"]
            a, b = Path(folder) / "a.jsonl", Path(folder) / "b.jsonl"
            ray_jobs.score([*flags, str(a)], plumb=daemon.BIN)
            subprocess.run([daemon.BIN, "score", *flags, str(b)], check=True, capture_output=True)
            self.assertEqual(a.read_bytes(), b.read_bytes())
            self.assertEqual(len(b.read_text().splitlines()), 5000)
            self.assertFalse(Path(str(a) + ".job").exists())
            ray.shutdown()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
