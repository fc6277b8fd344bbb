"""The launcher of clients/vlmeval in the real VLMEvalKit, with the real daemon.

In: the environment of `scripts/python.sh checkouts` with the wheels of plumb-client and
plumb-bin, and PLUMB_VLMEVALKIT, the folder of VLMEvalKit's sources. The model is an
endpoint on this machine. Checked: the command of the README for every suite with
pictures; pictures come before the text; the result lines and the mean are those that
`plumb score` gives for the file of predictions that VLMEvalKit wrote; what could not be
scored is in no mean, and is counted.
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
(RUN,) = blocks("VLMEvalKit", "sh")
SUITES = ("aspire", "tangram", "spatialab", "spaceeval")
TASKS = {suite: episodes.TASKS if suite == "aspire" else ITEMS / plumb_client.rows.OWN_FILES[suite] for suite in SUITES}


def answer(messages: list[dict[str, Any]]) -> str:
    """A good answer to the task with an arrow; to others one to questions, one that only a
    judge can score, or what VLMEvalKit itself writes where a call failed."""
    text = text_of(messages[-1])
    return BETTER if '"rotation"' in text else ("A", VAGUE, "Failed to obtain answer via API.")[sum(text.encode()) % 3]


def brief(line: dict[str, Any]) -> tuple[Any, ...]:
    """What must be equal of two result lines; the file alone names the model."""
    if line["score"] is None:
        return None, line["error"]["code"]
    return line["score"], line["status"], {k: v for k, v in line["metrics"].items() if k != "model"}


class VlmEvalKit(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.dir = Path(folder.name)
        (cls.dir / "rows").mkdir()
        for suite, tasks in TASKS.items():
            cls.plumb("prompt", "--rows", "--suite", suite, "-o", str(cls.dir / "rows" / f"{suite}.jsonl"), str(tasks))
        cls.model = Endpoint(answer)
        command = RUN.replace("=rows", f"={cls.dir / 'rows'}")
        command = command.replace("--data plumb_aspire", "--data " + " ".join(f"plumb_{s}" for s in SUITES)).rstrip()
        env = {**daemon.environment(), "LMUData": str(cls.dir / "data"), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "MODEL": "stub", "PLUMB": str(ROOT),
               "OPENAI_BASE_URL": cls.model.url, "OPENAI_API_KEY": "none", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # fmt: skip
        done = subprocess.run(["bash", "-c", f"{command} --work-dir {cls.dir / 'out'}"], cwd=os.environ["PLUMB_VLMEVALKIT"], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)  # fmt: skip
        cls.said = done.stdout
        assert done.returncode == 0, done.stdout[-4000:]

    @classmethod
    def plumb(cls, *args: str) -> None:
        """Runs plumb."""
        subprocess.run([daemon.BIN, *args], env=daemon.environment(), check=True, capture_output=True)

    def lines(self, path: Path) -> list[dict[str, Any]]:
        """The lines of a file."""
        return [json.loads(line) for line in path.read_text().splitlines()]

    def test_every_suite(self) -> None:
        """What VLMEvalKit wrote and what it reports."""
        seen: set[Any] = set()
        for suite in SUITES:
            with self.subTest(suite):
                (file,) = self.dir.glob(f"out/stub/T*/stub_plumb_{suite}.xlsx")
                got = self.lines(file.with_name(f"stub_plumb_{suite}_plumb.jsonl"))
                self.plumb("score", "--backend", "cpu", "--paper", "none", "--max-failed", "100%", "--tasks", f"{suite}={TASKS[suite]}",
                           "-o", str(self.dir / "again.jsonl"), str(file))  # fmt: skip
                again = self.lines(self.dir / "again.jsonl")
                self.assertEqual(len(got), sum(1 for _ in (self.dir / "rows" / f"{suite}.jsonl").open()))
                self.assertEqual([brief(line) for line in got], [brief(line) for line in again])
                known = [line["score"] for line in got if line["score"] is not None]
                self.assertTrue(0 < len(known) < len(got))
                report = json.loads(file.with_name("status.json").read_text())["datasets"][f"plumb_{suite}"]
                want = {"Overall": sum(known) / len(known), "scored": len(known), "failed": len(got) - len(known)}
                self.assertEqual((report["metrics"], report["primary_metric"]), (want, "Overall"))
                seen.update(known)
        self.assertGreater(len(seen), 2)

    def test_pictures(self) -> None:
        """Pictures come before the text."""
        for asked in self.model.asked:
            kinds = [p["type"] for p in asked["messages"][-1]["content"]]
            self.assertEqual(kinds, ["image_url"] * (len(kinds) - 1) + ["text"])
            self.assertGreater(len(kinds), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
