"""The tasks of clients/lmms_eval in the real lmms-eval, with the real daemon.

In: the environment of `scripts/python.sh lmms_eval` with the wheels of plumb-client and
plumb-bin. The model is an endpoint on this machine. Checked: the commands of the
README; each sample's plumb_score is that of `plumb score`; pictures come before the
text; what cannot be scored is in no mean, and is counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)

import plumb_client
from frameworks import episodes
from frameworks.episodes import BETTER, VAGUE
from frameworks.stub import Endpoint, text_of
from tests import daemon
from tests.readme import ROOT, blocks

ITEMS = HERE / "plumb_client" / "items"
MAKE, RUN = blocks("lmms-eval", "sh")[0].splitlines()
SUITES = ("aspire", "drawingbench", "tangram", "spatialab", "spaceeval")


def answer(messages: list[dict[str, Any]]) -> str:
    """An answer to ASPIRE, one to questions, or one that only a judge can score."""
    return (BETTER, "A", VAGUE)[sum(text_of(messages[-1]).encode()) % 3]


class LmmsEval(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def run_command(self, command: str, **more: str) -> None:
        """Runs a line of the README as a user would, in a folder of its own."""
        env = {**daemon.environment(), "HF_HOME": str(self.dir / "hf"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "",
               "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **more}  # fmt: skip
        for path in ("clients/lmms_eval/tasks", "clients/python/examples"):
            command = command.replace(path, str(ROOT / path))
        command = command.replace("bin/plumb", daemon.BIN)
        done = subprocess.run(["bash", "-c", command], cwd=self.dir, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def evaluate(self, tasks: list[str], answer: Any) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]], Endpoint]:
        """Runs the README's command for tasks: the results, the samples of each, the model."""
        model = Endpoint(answer)
        self.run_command(RUN.replace("--tasks plumb_aspire", f"--tasks {','.join(tasks)}") + " --log_samples --output_path out",
                         OPENAI_API_BASE=model.url, OPENAI_API_KEY="none", MODEL="stub")  # fmt: skip
        (table,) = self.dir.glob("out/*/*_results.json")
        samples = {name: [json.loads(line) for f in self.dir.glob(f"out/*/*_samples_{name}.jsonl") for line in f.read_text().splitlines()]
                   for name in tasks}  # fmt: skip
        return json.loads(table.read_text())["results"], samples, model

    def test_every_task(self) -> None:
        """The README's commands, and their like for the other suites in one run. Of the
        questions of spaceeval some need a judge, which is not there."""
        self.run_command(MAKE)
        for suite in SUITES[1:]:
            items = ITEMS / plumb_client.rows.OWN_FILES[suite]
            self.run_command(MAKE.replace("aspire", suite).replace("clients/python/examples/tasks.jsonl", str(items)))
        results, samples, model = self.evaluate([f"plumb_{s}" for s in SUITES], answer)
        for suite in SUITES:
            seen, table = samples[f"plumb_{suite}"], results[f"plumb_{suite}"]
            scores = [s["plumb_score"] for s in seen]
            self.assertEqual(scores, [line["score"] for line in self.expected(suite, seen)], suite)
            known = [v for v in scores if v is not None]
            self.assertAlmostEqual(table["plumb_score,none"], sum(known) / len(known), places=12)
            self.assertAlmostEqual(table["plumb_failed,none"], 1 - len(known) / len(scores), places=12)
            self.assertEqual(len(known) < len(scores), suite == "spaceeval")
        self.assertGreater(len({s["plumb_score"] for several in samples.values() for s in several}), 2)
        kinds = {tuple(p["type"] for p in m["content"]) for a in model.asked for m in a["messages"]}
        self.assertIn(("image_url", "text"), kinds)

    def expected(self, suite: str, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The lines of `plumb score` for the samples."""
        dump, out = self.dir / "dump.jsonl", self.dir / "scored.jsonl"
        dump.write_text("".join(json.dumps({**json.loads(s["target"]), "response": s["filtered_resps"]}) + "\n" for s in samples))
        out.unlink(missing_ok=True)
        tasks = episodes.TASKS if suite == "aspire" else ITEMS / plumb_client.rows.OWN_FILES[suite]
        flags = ["--suite", suite, "--tasks", f"{suite}={tasks}", "--backend", "cpu", "--paper", "none", "--max-failed", "100%"]
        subprocess.run([daemon.BIN, "score", *flags, "-o", str(out), str(dump)], env=daemon.environment(), check=True, capture_output=True)
        return [json.loads(line) for line in out.read_text().splitlines()]


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
