"""The entry points for verifiers in the real package, with the real daemon.

In: an environment of `scripts/python.sh verifiers` or `verifiers-0.3`, the program
plumb (PLUMB_BIN). The model is an endpoint on this machine that gives one recorded
answer per task. Checked: the blocks of code of the README run as they stand there;
the rewards in verifiers' own traces are those that the daemon gives for the same
answers over plain HTTP; a sample that could not be scored and a label that cannot
be used are errors of their rollouts, and no zeros.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)

import verifiers
from frameworks import episodes
from frameworks.episodes import BETTER, VAGUE, WORSE
from frameworks.stub import Endpoint
from tests import daemon
from tests.readme import ROOT, blocks
from tests.daemon import foreign

STAR = '{"createShapes": [{"id": "shape:a", "type": "geo", "x": 280, "y": 430, "props": {"geo": "star", "color": "red", "w": 90, "h": 90}}]}'
ANSWERS = [STAR, '{"rotation": -0.16}', "no idea"]
HEADING = "verifiers and prime-rl"
BAD = '{"suite": "aspire", "id": "nobody"}'


def content(message: dict[str, Any]) -> str:
    """The text of a message as it was sent."""
    said = message["content"]
    return said if isinstance(said, str) else "".join(part["text"] for part in said)


class Model:
    """The answers that are recorded for prompts."""

    answers: dict[str, str] = {}


@cache
def endpoint() -> str:
    """Where the model listens."""
    return Endpoint(lambda messages: Model.answers[content(messages[-1])]).url


@cache
def plumb() -> daemon.Daemon:
    """The daemon with the tasks of the examples."""
    return daemon.Daemon("--tasks", f"aspire={HERE / 'examples' / 'tasks.jsonl'}", tasks=False)


@cache
def rows() -> list[dict[str, Any]]:
    """Rows of the example dataset, an answer recorded for each."""
    found = [json.loads(line) for line in (HERE / "examples" / "trl.jsonl").read_text().splitlines()[:4]]
    for i, row in enumerate(found):
        Model.answers[content(row["prompt"][-1])] = ANSWERS[i % len(ANSWERS)]
    return found


@cache
def reward(label: str, answer: str) -> float:
    """What the daemon says over plain HTTP."""
    body = json.dumps({"label": label, "response": answer}).encode()
    with urllib.request.urlopen(urllib.request.Request(plumb().url + "/v1/reward", body)) as r:
        return float(json.load(r)["reward"])


def traces(folder: Path) -> list[dict[str, Any]]:
    """What vf-eval wrote: one trace per rollout."""
    lines = [json.loads(line) for f in folder.rglob("traces.jsonl") for line in f.read_text().splitlines()]
    return [t for line in lines for t in line.get("traces", [line])]


class Tasks(unittest.TestCase):
    """The taskset of the README, through vf-eval."""

    def setUp(self) -> None:
        self.dir = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        rows()
        self.taskset, *_ = blocks(HEADING, "python")
        self.command = blocks(HEADING, "sh")[0]

    def evaluate(self, taskset: str, data: list[dict[str, Any]], more: str = "") -> list[dict[str, Any]]:
        """Runs the README's command on a taskset of these rows."""
        (self.dir / "whiteboard.py").write_text(taskset)
        (self.dir / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in data))
        home = Path(sys.prefix) / "home"  # what uv downloads stays in the environment
        home.mkdir(exist_ok=True)
        env = {**os.environ, "PLUMB_URL": plumb().url, "OPENAI_BASE_URL": endpoint(), "OPENAI_API_KEY": "none", "MODEL": "stub",
               "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home)}  # fmt: skip
        command = self.command.replace("PYTHONPATH=.", f"PYTHONPATH=.:{HERE}").rstrip()
        command += f" --env.taskset.rows rows.jsonl -o out {more}"
        done = subprocess.run(["bash", "-c", command], cwd=self.dir, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=900)  # fmt: skip
        found = traces(self.dir / "out")
        self.assertEqual(len(found), len(data), done.stdout[-4000:])
        return found

    def check(self, found: list[dict[str, Any]]) -> None:
        """The traces' rewards are the daemon's."""
        seen = set()
        for t in found:
            self.assertEqual(t["errors"], [])
            data = t["task"]["data"]
            label = data.get("label") or data["answer"]
            want = reward(label, Model.answers[content(data["prompt"][-1])])
            self.assertEqual(t["rewards"], {"plumb": {"score": want, "weight": 1.0}}, label)
            seen.add(want)
        self.assertGreater(len(seen), 1)

    def test_taskset_of_the_readme(self) -> None:
        self.check(self.evaluate(self.taskset, rows()))

    def test_plugged_into_another_task(self) -> None:
        """The TOML of the README; the data has a field `answer`."""
        plain = self.taskset.replace("from plumb_client.verifiers import task_class\n", "").replace("label", "answer")
        plain = plain.replace('row["answer"]', 'row["label"]')
        plain, n = plain.replace("WhiteboardTask = task_class(WhiteboardData)  # a vf.Task with the reward `plumb`",
                                 "class WhiteboardTask(vf.Task[WhiteboardData]):\n    pass"), plain.count("task_class(")  # fmt: skip
        self.assertEqual(n, 1)
        (self.dir / "plumb.toml").write_text(blocks(HEADING, "toml")[0])
        self.check(self.evaluate(plain, rows(), "@ plumb.toml"))

    def test_what_could_not_be_scored_is_an_error(self) -> None:
        label, answer = foreign()
        Model.answers |= {"foreign": answer, "bad": "{}"}
        data = [{"prompt": [{"role": "user", "content": p}], "label": lab} for p, lab in (("foreign", label), ("bad", BAD))]
        found = {content(t["task"]["data"]["prompt"][-1]): t for t in self.evaluate(self.taskset, data)}
        for name, want in (("foreign", "not_native"), ("bad", "nobody")):
            t = found[name]
            self.assertIs(t["ok"], False)
            self.assertIn(want, t["errors"][-1]["message"])
            self.assertIn(t["rewards"], ({}, {"plumb": None}))


class TaskClass(unittest.TestCase):
    """PlumbTask as a class."""

    def test_task_class(self) -> None:
        """The framework's own scoring is not hidden."""
        import verifiers.v1 as vf

        from plumb_client.verifiers import PlumbTask, task_class

        self.assertIs(PlumbTask.score, vf.Task.score)
        self.assertEqual([f.__name__ for f in task_class(weight=0.5)(vf.TaskData(prompt="p")).hooks("reward")], ["plumb"])


class Whiteboard(unittest.TestCase):
    """The package plumb-whiteboard, through vf-eval."""

    def evaluate(self, more: str, n: int, answer: Any, url: str = "") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Runs the README's command, with the daemon of the episodes or the one at url; the
        traces, and what the model was asked."""
        model = Endpoint(answer)
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        home = Path(sys.prefix) / "home"
        home.mkdir(exist_ok=True)
        env = {**os.environ, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "MODEL": "stub", "PLUMB_URL": url or episodes.plumb().url,
               "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home)}  # fmt: skip
        command = blocks("plumb-whiteboard", "sh")[0].split("\n", 1)[1].rstrip() + f" -o out {more}"
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
        found = traces(folder / "out")
        self.assertEqual(len(found), n, done.stdout[-4000:])
        return found, model.asked

    def test_install(self) -> None:
        """The README's first line installs what it names, here into a folder and without
        what PyPI has."""
        line = blocks("plumb-whiteboard", "sh")[0].splitlines()[0].replace("pip ", f"{ROOT}/build/venv/bin/python -m pip --python {sys.executable} ")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["bash", "-c", f"{line} -q --no-deps --no-index --target {folder}"], cwd=ROOT, check=True, capture_output=True)
            self.assertLessEqual({"plumb_client", "plumb_bin", "plumb_whiteboard"}, {p.name for p in Path(folder).iterdir()})

    def test_two_turns(self) -> None:
        """The second answer is better; the rewards are those of `plumb score`."""
        found, asked = self.evaluate("", len(episodes.tasks()), lambda messages: BETTER if len(messages) > 1 else WORSE)
        for t in found:
            self.assertEqual(t["errors"], [])
            name = json.loads(t["task"]["data"]["label"])["id"]
            self.assertEqual(t["rewards"], {"plumb": {"score": episodes.score(name, BETTER), "weight": 1.0}})
            self.assertEqual((t["metrics"]["turn1"], t["metrics"]["turn2"]), (episodes.score(name, WORSE), episodes.score(name, BETTER)))
        kinds = {tuple(p["type"] for p in m["content"]) for a in asked for m in a["messages"] if m["role"] == "user"}
        self.assertEqual(kinds, {("image_url", "text")})

    def test_lost_in_the_middle(self) -> None:
        """The daemon is killed and started again while the model answers for the second
        time: the rewards are those of `plumb score`."""
        d = episodes.Mortal(self)
        found, _ = self.evaluate("", len(episodes.tasks()), d.answer, d.url)
        self.assertEqual(d.restarts, 1)
        for t in found:
            self.assertEqual(t["errors"], [])
            name = json.loads(t["task"]["data"]["label"])["id"]
            self.assertEqual(t["rewards"], {"plumb": {"score": episodes.score(name, BETTER), "weight": 1.0}})
            self.assertEqual(t["metrics"]["turn1"], episodes.score(name, WORSE))

    def test_what_cannot_be_scored(self) -> None:
        found, _ = self.evaluate("--env.taskset.suite spaceeval --env.turns 1", 12, lambda messages: VAGUE)
        for t in found:
            self.assertIs(t["ok"], False)
            self.assertIn("unjudged", t["errors"][-1]["message"])
            self.assertNotIn("plumb", {k for k, v in t["rewards"].items() if v is not None})


class WhiteboardRubrics(unittest.TestCase):
    """load_environment of plumb-whiteboard."""

    def run_environment(self, code: str, answer: Any) -> list[dict[str, Any]]:
        """The states of the environment that a line of code makes."""
        import asyncio

        import plumb_whiteboard
        from verifiers.types import ClientConfig

        scope: dict[str, Any] = {"plumb_whiteboard": plumb_whiteboard}
        with mock.patch.dict(os.environ, PLUMB_URL=episodes.plumb().url, STUB_API_KEY="none", HF_DATASETS_OFFLINE="1"):
            exec(code, scope)
            client = ClientConfig(api_base_url=Endpoint(answer).url, api_key_var="STUB_API_KEY")
            return list(asyncio.run(scope["env"].evaluate(client, "stub"))["outputs"])

    def test_two_turns(self) -> None:
        outputs = self.run_environment(blocks("plumb-whiteboard", "python")[0], lambda messages: BETTER if len(messages) > 1 else WORSE)
        self.assertEqual(len(outputs), len(episodes.tasks()))
        for o in outputs:
            name = json.loads(o["answer"])["id"]
            self.assertEqual((o["reward"], o["metrics"]["plumb_failed"]), (episodes.score(name, BETTER), 0.0))
        self.assertGreater(len({o["reward"] for o in outputs}), 1)

    def test_what_cannot_be_scored(self) -> None:
        outputs = self.run_environment('env = plumb_whiteboard.load_environment(suite="spaceeval")', lambda messages: VAGUE)
        self.assertEqual({(o["reward"], o["metrics"]["plumb_failed"]) for o in outputs}, {(0.0, 1.0)})


class Rubrics(unittest.TestCase):
    """The rubric of the README, through the environment of verifiers 0.3."""

    def run_rubric(self, rubric: Any, labels: dict[str, str], n: int = 1) -> list[dict[str, Any]]:
        """The states of SingleTurnEnv for prompts and labels."""
        import asyncio

        import verifiers as vf
        from datasets import Dataset
        from verifiers.types import ClientConfig

        os.environ.update(PLUMB_URL=plumb().url, STUB_API_KEY="none", HF_DATASETS_OFFLINE="1")
        data = [{"prompt": [{"role": "user", "content": p}], "answer": lab} for p, lab in labels.items()]
        env = vf.SingleTurnEnv(eval_dataset=Dataset.from_list(data), rubric=rubric)
        client = ClientConfig(api_base_url=endpoint(), api_key_var="STUB_API_KEY")
        return list(asyncio.run(env.evaluate(client, "stub", rollouts_per_example=n))["outputs"])

    def labels(self) -> dict[str, str]:
        label, answer = foreign()
        Model.answers |= {"foreign": answer, "bad": "{}"}
        return {content(r["prompt"][-1]): r["label"] for r in rows()} | {"foreign": label, "bad": BAD}

    def check(self, outputs: list[dict[str, Any]], name: str, failed: set[str]) -> None:
        seen = set()
        for o in outputs:
            prompt = o["prompt"][-1]
            asked = content(prompt if isinstance(prompt, dict) else prompt.model_dump())
            want = 0.0 if asked in failed else reward(o["answer"], Model.answers[asked])
            metrics = {k: o["metrics"][k] for k in (name, "plumb_failed")}
            self.assertEqual((o["reward"], metrics), (want, {name: want, "plumb_failed": float(asked in failed)}), asked[-60:])
            seen.add(want)
        self.assertGreater(len(seen), 1)

    def test_rubric_of_the_readme(self) -> None:
        scope: dict[str, Any] = {}
        exec(blocks(HEADING, "python")[1], scope)
        self.check(self.run_rubric(scope["rubric"], self.labels()), "rubric_reward", {"foreign", "bad"})

    def test_groups(self) -> None:
        from plumb_client.verifiers import plumb_failed, rubric_rewards

        labels = self.labels()
        del labels["bad"]
        outputs = self.run_rubric(verifiers.Rubric(funcs=[rubric_rewards, plumb_failed], weights=[1.0, 0.0]), labels, n=2)
        self.assertEqual(len(outputs), 2 * len(labels))
        self.check(outputs, "rubric_rewards", {"foreign"})


def load_tests(loader: unittest.TestLoader, tests: Any, pattern: Any) -> unittest.TestSuite:
    """Rubrics left verifiers with 0.4.0; before it vf-eval ran nothing else."""
    cases = [TaskClass, *([Rubrics, WhiteboardRubrics] if hasattr(verifiers, "Rubric") else [Tasks, Whiteboard])]
    return unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in cases)


if __name__ == "__main__":
    print(f"verifiers {verifiers.__version__}", file=sys.stderr)
    unittest.main(verbosity=2, warnings="ignore")
