"""plumb_inspect inside the real inspect_ai, with the real daemon.

In: the environment of `scripts/python.sh inspect` with the wheels of plumb-client,
plumb-inspect and plumb-bin (`make test-envs` installs them). The model is an endpoint
on this machine. Checked: the commands of the README; values are those of `plumb
score`; pictures come before the text; logs can be scored again; what cannot be
scored is unscored and a bad label an error.
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
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
sys.path.append(str(HERE / "frameworks"))
os.environ.pop("PLUMB_URL", None)

import plumb_bin
from inspect_ai.log import EvalLog, read_eval_log
from frameworks import episodes
from frameworks.episodes import BETTER, WORSE
from plumb_client import rows
from stub import Endpoint, text_of
from tests.readme import ROOT, blocks

ANSWERS = ['{"rotation": -0.16}', "no idea", '{"answer": "A"}', '[{"type":"click","x":100,"y":100}]']
PROGRAM = str(plumb_bin.program())


def answer(messages: list[dict[str, Any]]) -> str:
    """One of the answers, by what was asked last."""
    return ANSWERS[sum(text_of(messages[-1]).encode()) % len(ANSWERS)]


MODEL = Endpoint(answer)


class Inspect(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def run_command(self, command: str, ok: bool = True) -> str:
        """Runs a line of shell as a user would, with plumb-bin alone."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("PLUMB_")}
        env |= {"STUB_BASE_URL": MODEL.url, "STUB_API_KEY": "none", "MODEL": "openai-api/stub/mock", "NO_COLOR": "1", "INSPECT_DISPLAY": "plain",
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "INSPECT_LOG_DIR": str(self.dir)}  # fmt: skip
        done = subprocess.run(["bash", "-c", command], cwd=self.dir, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
        self.assertEqual(done.returncode == 0, ok, done.stdout[-3000:])
        return done.stdout

    def log(self, pattern: str = "*.eval") -> EvalLog:
        """The newest log."""
        return read_eval_log(str(max(self.dir.glob(pattern), key=lambda p: p.stat().st_mtime_ns)))

    def expected(self, suite: str, log: EvalLog) -> dict[str, dict[str, Any]]:
        """The lines of `plumb score` for the answers of a log."""
        dump, out = self.dir / "dump.jsonl", self.dir / "out.jsonl"
        tasks = rows.OWN / rows.OWN_FILES[suite]
        dump.write_text("".join(json.dumps({**json.loads(s.metadata["label"]), "response": s.output.completion}) + "\n" for s in log.samples or []))
        flags = ["--suite", suite, "--tasks", f"{suite}={tasks}", "--backend", "cpu", "--paper", "none", "--max-failed", "100%"]
        subprocess.run([PROGRAM, "score", *flags, "-o", str(out), str(dump)], check=False, capture_output=True)
        return {line["id"]: line for line in map(json.loads, out.read_text().splitlines())}

    def check(self, suite: str, log: EvalLog) -> None:
        """The values of a log are those of `plumb score`."""
        self.assertEqual(log.status, "success")
        want = self.expected(suite, log)
        samples = log.samples or []
        self.assertEqual(len(want), len(samples))
        for s in samples:
            line, score = want[json.loads(s.metadata["label"])["id"]], s.scores["plumb"]
            if line["score"] is None:
                self.assertNotEqual(score.value, score.value)
                self.assertEqual(score.explanation, line["error"]["code"])
            else:
                self.assertEqual(score.value, line["score"], line["id"])
                self.assertEqual({k: score.metadata[k] for k in ("score", "status", "metrics")}, {k: line[k] for k in ("score", "status", "metrics")})

    def test_install(self) -> None:
        """The README's first line installs what it names, here into a folder and without
        what PyPI has."""
        line = blocks("inspect_ai", "sh")[0].splitlines()[0].replace("pip ", f"{ROOT}/build/venv/bin/python -m pip --python {sys.executable} ")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["bash", "-c", f"{line} -q --no-deps --no-index --target {folder}"], cwd=ROOT, check=True, capture_output=True)
            self.assertLessEqual({"plumb_client", "plumb_bin", "plumb_inspect"}, {p.name for p in Path(folder).iterdir()})

    def test_every_task(self) -> None:
        """The README's command, for all tasks at once."""
        names = ("aspire", "drawingbench", "tangram", "tangram_outline", "spatialab", "spaceeval")
        command = blocks("inspect_ai", "sh")[0].splitlines()[-1]
        self.run_command(command.replace("plumb_inspect/aspire", " ".join(f"plumb_inspect/{n}" for n in names)))
        for name in names:
            with self.subTest(name):
                log = self.log(f"*_{name.replace('_', '-')}_*.eval")
                self.check(name.removesuffix("_outline"), log)
                texts = {s.messages[0].text for s in log.samples or []}
                asked = [a["messages"][-1] for a in MODEL.asked if text_of(a["messages"][-1]) in texts]
                kinds = {tuple(p["type"] for p in m["content"]) if isinstance(m["content"], list) else ("text",) for m in asked}
                want = {"drawingbench": {("text",)}, "spaceeval": {("text", "image_url")}}.get(name, {("image_url", "text")})
                self.assertEqual(kinds, want)
                failed = sum(s.scores["plumb"].explanation == "unjudged" for s in log.samples or [])
                self.assertEqual(log.results.scores[0].unscored_samples, failed)
                self.assertEqual(failed > 0, name == "spaceeval")

    def test_scored_again(self) -> None:
        """`inspect score` on a log gives the same values."""
        eval_command, score_command = blocks("inspect_ai", "sh")[0].splitlines()[-1], blocks("inspect_ai", "sh")[1]
        self.run_command(eval_command)
        first = self.log()
        self.run_command(score_command.replace("LOG", first.location).replace("RESCORED", "again.eval"))
        again = read_eval_log(str(self.dir / "again.eval"))
        self.assertEqual(len(again.results.scores), 2)
        for s in again.samples or []:
            values = [score.value for score in s.scores.values()]
            self.assertEqual(len(values), 2)
            self.assertEqual(values[0], values[1])

    def test_precomputed(self) -> None:
        """The scores that `plumb score` writes for a log are taken by inspect's own scorer
        for scores of others, with the same values; those that are missing are told."""
        model = Endpoint(lambda messages: ("A", "the large one")[sum(text_of(messages[-1]).encode()) % 2])
        with mock.patch.object(MODEL, "url", model.url):
            self.run_command(blocks("inspect_ai", "sh")[0].splitlines()[-1].replace("aspire", "spaceeval"))
        first = self.log()
        tasks = rows.OWN / rows.OWN_FILES["spaceeval"]
        flags = ["--tasks", f"spaceeval={tasks}", "--paper", "none", "--max-failed", "100%", "--output-format", "inspect"]
        out = str(self.dir / "scores") + "/"
        done = subprocess.run([PROGRAM, "score", *flags, "-o", out, first.location], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        scores = self.dir / "scores" / f"{Path(first.location).stem}.jsonl"
        command = f"inspect score {first.location} --scorer precomputed_scores -S scores={scores} --action append --output-file"
        self.run_command(f"{command} again.eval")
        want = {s.id: s.scores["plumb"] for s in first.samples or []}
        known = {i for i, score in want.items() if score.value == score.value}
        self.assertTrue(set() < known < set(want))
        again = read_eval_log(str(self.dir / "again.eval"))
        for s in again.samples or []:
            got = s.scores.get("precomputed_scores")
            self.assertEqual(got.value if s.id in known else got, want[s.id].value if s.id in known else None, s.id)
        self.assertIn("No score record", self.run_command(f"{command} never.eval -S on_missing=error", ok=False))

    def test_items_of_a_file(self) -> None:
        """Tasks of a file go through a daemon of their own."""
        lines = (rows.OWN / "aspire.jsonl").read_text().splitlines()[:2]
        (self.dir / "mine.jsonl").write_text("".join(line.replace('"id":"', '"id":"my-', 1) + "\n" for line in lines))
        self.run_command(blocks("inspect_ai", "sh")[0].splitlines()[-1] + " -T items=mine.jsonl")
        log = self.log()
        self.assertEqual(sorted(s.id for s in log.samples), sorted("my-" + json.loads(line)["id"] for line in lines))
        self.assertEqual({type(s.scores["plumb"].value) for s in log.samples}, {float})

    def test_two_turns(self) -> None:
        """The model sees what became of its answer; the score is that of the last."""
        model = Endpoint(lambda messages: BETTER if len(messages) > 1 else WORSE)
        with mock.patch.object(MODEL, "url", model.url):
            self.run_command(blocks("inspect_ai", "sh")[0].splitlines()[-1] + " -T turns=2")
        log = self.log()
        self.check("aspire", log)
        arrow = next(s for s in log.samples if s.id == "arrow-00")
        self.assertEqual(len(arrow.store["plumb_scores"]), 2)
        self.assertEqual(arrow.store["plumb_scores"][1], arrow.scores["plumb"].value)
        self.assertLess(arrow.store["plumb_scores"][0], arrow.scores["plumb"].value)
        second = next(a["messages"] for a in model.asked if len(a["messages"]) > 1)
        self.assertEqual([[p["type"] for p in m["content"]] for m in second if m["role"] == "user"], [["image_url", "text"]] * 2)

    def test_lost_in_the_middle(self) -> None:
        """The daemon is killed and started again while the model answers for the second
        time: the values are those of `plumb score`."""
        d = episodes.Mortal(self)
        with mock.patch.object(MODEL, "url", Endpoint(d.answer).url):
            self.run_command(blocks("inspect_ai", "sh")[0].splitlines()[-1] + f" -T turns=2 -T url={d.url}")
        log = self.log()
        self.assertEqual((log.status, d.restarts, len(log.samples)), ("success", 1, len(episodes.tasks())))
        for s in log.samples:
            self.assertEqual(s.scores["plumb"].value, episodes.score(s.id, BETTER), s.id)
            self.assertEqual(s.store["plumb_scores"], [episodes.score(s.id, WORSE), episodes.score(s.id, BETTER)], s.id)

    def test_bad_label(self) -> None:
        """A label without a task is an error of the run."""
        (self.dir / "bad.py").write_text(
            "from inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\nfrom plumb_inspect import plumb\n\n"
            "@task\ndef bad():\n    label = '{\"suite\": \"aspire\", \"id\": \"nobody\"}'\n"
            "    return Task([Sample('x', metadata={'label': label, 'test': 'x'})], scorer=plumb())\n"
        )
        self.run_command("inspect eval bad.py --model $MODEL")
        log = self.log()
        self.assertEqual(log.status, "error")
        self.assertIn("nobody", log.error.message)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
