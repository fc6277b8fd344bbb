"""What README and examples show works as it stands there."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import plumb_client
from tests import daemon
from tests.readme import blocks

HERE = Path(__file__).resolve().parents[1]
EXAMPLES = HERE / "examples"


class Examples(unittest.TestCase):
    def test_readme(self) -> None:
        d = daemon.Daemon("--tasks", f"aspire={EXAMPLES / 'tasks.jsonl'}", tasks=False)
        try:
            code = blocks("Two minutes", "python")[0]
            done = subprocess.run(
                [sys.executable, "-c", code], env={**os.environ, "PLUMB_URL": d.url}, capture_output=True, text=True, timeout=60
            )
            self.assertEqual(done.stderr, "")
            self.assertTrue(done.stdout.startswith("1.0 bare "), done.stdout)
            for name, label_of in (("trl", lambda r: r["label"]), ("verl", lambda r: r["reward_model"]["ground_truth"])):
                rows = [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text().splitlines()]
                self.assertEqual(len(rows), 8)
                labels = [label_of(r) for r in rows]
                self.assertEqual({type(label) for label in labels}, {str})
                got = plumb_client.Client(d.url).reward_many(labels, ["no idea"] * len(rows))
                self.assertEqual({r.failed for r in got}, {False})
                self.assertLessEqual({r.status for r in got}, {"no_json", "no_answer"})
        finally:
            d.stop()

    def test_datasets_are_as_the_script_makes_them(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            for flags in ([], ["--whole"]):
                command = [sys.executable, str(EXAMPLES / "dataset.py"), "--plumb", daemon.BIN, "--out", made, *flags]
                subprocess.run(command, check=True, env=daemon.environment())
                for name in ("trl.jsonl", "verl.jsonl"):
                    got, want = Path(made, name).read_text(), (EXAMPLES / name).read_text()
                    self.assertEqual(got == want, not flags, name)
            rows = [json.loads(line) for line in Path(made, "trl.jsonl").read_text().splitlines()]
            got = plumb_client.Client(daemon.shared().url).reward_many([r["label"] for r in rows], [""] * 8)
            self.assertEqual([r.reward for r in got], [r.score for r in got])


if __name__ == "__main__":
    unittest.main()
