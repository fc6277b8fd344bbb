"""Environments, tools and launchers for packages that need torch, with stand-ins of
what they import; `make test-envs` has the real ones where they can be installed."""

import asyncio
import contextlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import plumb_client
from frameworks import episodes
from frameworks.episodes import BETTER, UNSCORABLE, VAGUE, WORSE
from plumb_client import skyrl, trl, verl, versions
from tests import daemon, trainers
from tests.readme import HERE, ROOT, blocks

LAUNCHERS = HERE.parent


class Asked(unittest.TestCase):
    """With the daemon of the episodes in the environment."""

    def setUp(self) -> None:
        patch = mock.patch.dict("os.environ", {"PLUMB_URL": episodes.plumb().url})
        patch.start()
        self.addCleanup(patch.stop)
        self.worse, self.better = episodes.score("arrow-00", WORSE), episodes.score("arrow-00", BETTER)


class Trl(Asked):
    """The environment, called as TRL 1.16's trainer calls it."""

    def test_two_turns(self) -> None:
        env = trl.environment(turns=2)()
        asked = env.reset(prompt=[{"role": "user", "content": "x"}], label=episodes.label("arrow-00"))
        self.assertIn("rotation", asked)
        self.assertEqual(env.get_reward(), 0.0)
        self.assertIn("Score", env.answer(answer=WORSE))
        self.assertEqual(env.get_reward(), self.worse)
        self.assertEqual(env.answer(answer=BETTER), "Done.")
        self.assertEqual(env.get_reward(), self.better)
        self.assertEqual(env.answer(answer=WORSE), "The task is done.")
        self.assertEqual(env.get_reward(), self.better)
        env.reset(label=episodes.label("maze-00"))  # the trainer uses its environments again
        self.assertEqual(env.get_reward(), 0.0)

    def test_readme(self) -> None:
        given: dict[str, Any] = {}
        code = blocks("TRL, several turns", "python")[0]
        exec(code.replace(", images=\"all\"", ""), {"GRPOTrainer": lambda **kw: given.update(kw), "plumb_client": plumb_client, "model": 0, "args": 0, "rows": 0})
        env = given["environment_factory"]()
        env.reset(label=episodes.label("arrow-00"))
        env.answer(answer=BETTER)
        self.assertEqual(env.get_reward(), self.better)

    def test_tools(self) -> None:
        """The public methods but reset and get_reward are the tools; theirs are documented as TRL wants it."""
        public = [n for n in vars(trl.PlumbEnvironment) if not n.startswith("_") and n not in ("reset", "get_reward")]
        self.assertEqual(public, ["answer"])
        self.assertRegex(trl.PlumbEnvironment.answer.__doc__, r"Args:\n\s+answer: ")

    def test_what_cannot_be_scored(self) -> None:
        env = trl.environment()()
        env.reset(label=UNSCORABLE)
        self.assertIn("could not be scored", env.answer(answer=VAGUE))
        self.assertIsNone(env.get_reward())

    def test_a_lost_daemon_is_no_reward(self) -> None:
        """TRL takes an exception of a tool for its answer: the reward must say it."""
        d = episodes.Mortal(self)
        env = trl.environment(url=d.url, timeout=0.5)()
        env.reset(label=episodes.label("arrow-00"))
        d.kill()
        with self.assertRaises(plumb_client.Unavailable):
            env.answer(answer=BETTER)
        self.assertIsNone(env.get_reward())

    def test_another_daemon_goes_on(self) -> None:
        d = episodes.Mortal(self)
        env = trl.environment(turns=2, url=d.url)()
        env.reset(label=episodes.label("arrow-00"))
        env.answer(answer=WORSE)
        d.restart()
        self.assertEqual((env.answer(answer=BETTER), env.get_reward()), ("Done.", self.better))

    def test_mistakes(self) -> None:
        env = trl.environment()()
        with self.assertRaisesRegex(ValueError, "no column 'label'; got \\['prompt'\\]"):
            env.reset(prompt="x")
        with self.assertRaisesRegex(ValueError, "nobody"):
            env.reset(label=episodes.label("nobody"))


class ToolResponse:
    """verl.tools.schemas.ToolResponse"""

    def __init__(self, text: Any = None, image: Any = None) -> None:
        self.text, self.image = text, image


class Schema(types.SimpleNamespace):
    """verl.tools.schemas.OpenAIFunctionToolSchema"""

    @classmethod
    def model_validate(cls, v: Any) -> Any:
        return cls(**v)


class BaseTool:
    """verl.tools.base_tool.BaseTool"""

    def __init__(self, config: Any, tool_schema: Any) -> None:
        self.config, self.tool_schema = config, tool_schema

    async def create(self, instance_id: Any = None, **kw: Any) -> Any:
        return instance_id or "i", ToolResponse()


class Verl(Asked):
    """The tool, called as verl 0.9.1's ToolAgentLoop calls it: an instance for each call."""

    def setUp(self) -> None:
        super().setUp()
        schemas = {"ToolResponse": ToolResponse, "OpenAIFunctionToolSchema": Schema}
        made = trainers.installed("plumb_client.verl", "PlumbTool", verl__tools__base_tool={"BaseTool": BaseTool}, verl__tools__schemas=schemas)
        stack = contextlib.ExitStack()
        stack.enter_context(made)
        self.addCleanup(stack.close)

    def call(self, tool: Any, data: Any, answer: str, label: str) -> Any:
        async def one() -> Any:
            name, _ = await tool.create(create_kwargs={"label": label})
            try:
                return await tool.execute(name, {"answer": answer}, agent_data=data)
            finally:
                await tool.release(name)

        return asyncio.run(one())

    def scored(self, data: Any, label: str) -> dict[str, float]:
        """What compute_score makes of the trajectory, whose text holds more than the answer."""
        info = {"num_turns": 2, **data.extra_fields}
        both = asyncio.run(verl.compute_score("plumb", "whole conversation", label, info)), verl.compute_score_sync("plumb", "x", label, info)
        self.assertEqual(both[0], both[1])
        self.assertEqual(verl.compute_score_batch(["p", "p"], ["x", BETTER], [label, episodes.label("arrow-00")], [info, {}]),
                         [both[0], {"score": self.better, "raw": self.better, "failed": 0.0}])  # fmt: skip
        return both[0]

    def test_two_turns(self) -> None:
        tool, data, label = verl.PlumbTool({"type": "native", "turns": 2, "images": "none"}), types.SimpleNamespace(extra_fields={}), episodes.label("arrow-00")
        self.assertEqual(tool.tool_schema.function["name"], "answer")
        response, reward, _ = self.call(tool, data, WORSE, label)
        self.assertIn("Score", response.text)
        self.assertEqual((reward, self.scored(data, label)), (0.0, {"score": self.worse, "raw": self.worse, "failed": 0.0}))
        response, reward, _ = self.call(tool, data, BETTER, label)
        want = {"score": self.better, "raw": self.better, "failed": 0.0}
        self.assertEqual((response.text, reward, self.scored(data, label)), ("Done.", self.better, want))
        response, reward, _ = self.call(tool, data, WORSE, label)  # after the end
        self.assertEqual((response.text, reward, self.scored(data, label)), ("The task is done.", None, want))
        self.assertEqual(tool.labels, {})

    def test_another_daemon_goes_on(self) -> None:
        d = episodes.Mortal(self)
        tool, data = verl.PlumbTool({"turns": 2, "images": "none", "url": d.url}), types.SimpleNamespace(extra_fields={})
        self.call(tool, data, WORSE, episodes.label("arrow-00"))
        d.restart()
        response, reward, numbers = self.call(tool, data, BETTER, episodes.label("arrow-00"))
        self.assertEqual((response.text, reward, numbers["failed"]), ("Done.", self.better, 0.0))

    def test_readme(self) -> None:
        text = blocks("verl, several turns", "yaml")[0]
        where, _, name = text.split("class_name: ")[1].split()[0].rpartition(".")
        self.assertIs(getattr(importlib.import_module(where), name), verl.PlumbTool)

    def test_failures_are_marked(self) -> None:
        """verl takes an exception of a tool for a reward of 0, so there is none."""
        failed = {"score": 0.0, "raw": 0.0, "failed": 1.0}
        for config, label, answer in (({"images": "none"}, UNSCORABLE, VAGUE), ({"images": "none"}, episodes.label("nobody"), BETTER),
                                      ({"url": "http://127.0.0.1:1", "timeout": 0.3}, episodes.label("arrow-00"), BETTER)):  # fmt: skip
            data = types.SimpleNamespace(extra_fields={})
            response, reward, _ = self.call(verl.PlumbTool(config), data, answer, label)
            self.assertIn("could not be scored", response.text)
            self.assertIsNone(reward)
            self.assertEqual(self.scored(data, label), failed)

    def test_a_failed_end_stays_failed(self) -> None:
        """Calls after the end change nothing, whether an answer before the failed one was scored or not."""
        failed = {"score": 0.0, "raw": 0.0, "failed": 1.0}
        tool, data = verl.PlumbTool({"images": "none"}), types.SimpleNamespace(extra_fields={})
        self.call(tool, data, VAGUE, UNSCORABLE)
        for _ in range(2):
            response, reward, _ = self.call(tool, data, VAGUE, UNSCORABLE)
            self.assertEqual((response.text, reward, self.scored(data, UNSCORABLE)), ("The task is done.", None, failed))
        # The daemon has no editor, which the answer of the second turn needs.
        label, unscorable = daemon.foreign()
        label = json.dumps({**json.loads(label), "prompt": "Balance the beam."})
        scorable = next(i for i in daemon.items() if i["test"] == "balance")["response"]
        tool, data = verl.PlumbTool({"images": "none", "turns": 2, "threshold": 2.0}), types.SimpleNamespace(extra_fields={})
        self.call(tool, data, scorable, label)
        self.assertEqual(self.scored(data, label)["failed"], 0.0)
        self.call(tool, data, unscorable, label)
        for _ in range(2):
            response, reward, _ = self.call(tool, data, scorable, label)
            self.assertEqual((response.text, reward, self.scored(data, label)), ("The task is done.", None, failed))

    def test_a_failed_reset_is_tried_again(self) -> None:
        d = episodes.Mortal(self)
        tool, data = verl.PlumbTool({"images": "none", "url": d.url, "timeout": 2.0}), types.SimpleNamespace(extra_fields={})
        d.kill()
        for _ in range(2):
            response, reward, _ = self.call(tool, data, BETTER, episodes.label("arrow-00"))
            self.assertIn("could not be scored", response.text)
            self.assertIsNone(reward)
        d.restart()
        _, reward, numbers = self.call(tool, data, BETTER, episodes.label("arrow-00"))
        self.assertEqual((reward, numbers["failed"]), (self.better, 0.0))


class SkyRL(Asked):
    def test_max_turns(self) -> None:
        """An episode has at most max_turns turns, also where turns is not given; a choice keeps its single turn."""
        with trainers.installed("plumb_client.skyrl", "PlumbEnv"):
            for label, config, most, want in (
                (episodes.label("arrow-00"), {"feedback": "score"}, None, 2),  # the suite's own
                (episodes.label("arrow-00"), {"feedback": "score"}, 1, 1),
                (episodes.label("arrow-00"), {"feedback": "score", "mode": "canvas"}, 2, 2),  # of 3
                (episodes.label("arrow-00"), {"feedback": "score"}, 5, 2),
                (episodes.label("arrow-00"), {"feedback": "score", "turns": 4}, 3, 3),
                (UNSCORABLE, {"images": "none"}, 3, 1),
            ):
                with self.subTest(config=config, most=most):
                    extras = {"reward_spec": {"ground_truth": label}, **({"max_turns": most} if most else {})}
                    env = skyrl.PlumbEnv(config, extras)
                    self.assertEqual(env.init([{"role": "user", "content": "x"}])[1], {"turns": want})
                    if want == 1 and label != UNSCORABLE:
                        self.assertTrue(env.step(WORSE)["done"])


def rows_of(suite: str, folder: Path) -> list[dict[str, Any]]:
    """The rows of a suite's own tasks, in folder/SUITE.jsonl."""
    out = folder / f"{suite}.jsonl"
    items = HERE / "plumb_client" / "items" / f"{suite}.jsonl"
    subprocess.run([daemon.BIN, "prompt", "--rows", "--suite", suite, "-o", str(out), str(items)], env=daemon.environment(), check=True, capture_output=True)
    return [json.loads(line) for line in out.read_text().splitlines()]


def module(path: Path) -> Any:
    """A module by its path."""
    spec = importlib.util.spec_from_file_location(path.stem + "_tested", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class LmmsEval(Asked):
    """The functions of the tasks, and the files that name them."""

    def test_rows(self) -> None:
        utils = module(LAUNCHERS / "lmms_eval" / "tasks" / "utils.py")
        with tempfile.TemporaryDirectory() as folder:
            for row in rows_of("aspire", Path(folder)):
                want = episodes.score(row["id"], BETTER)
                self.assertEqual(utils.process_results(row, [BETTER]), {"plumb_score": want, "plumb_failed": 0.0})
                self.assertEqual(utils.doc_to_text(row), row["prompt"])
            questions = rows_of("spaceeval", Path(folder))
            self.assertEqual(utils.process_results(questions[0], [VAGUE]), {"plumb_score": None, "plumb_failed": 1.0})
        self.assertEqual(utils.mean_known([0.5, None, 1.0]), 0.75)
        with self.assertRaisesRegex(ValueError, "none of 2"):
            utils.mean_known([None, None])

    def test_readme(self) -> None:
        """The rows of the README's command, and the folder and the task of the other."""
        make, run = blocks("lmms-eval", "sh")[0].splitlines()
        with tempfile.TemporaryDirectory() as folder:
            command = make.replace("bin/plumb", daemon.BIN).replace("-o aspire.jsonl", f"-o {folder}/aspire.jsonl")
            subprocess.run(command.split(), cwd=ROOT, env=daemon.environment(), check=True, capture_output=True)
            self.assertEqual(len((Path(folder) / "aspire.jsonl").read_text().splitlines()), 8)
        self.assertTrue((ROOT / run.split("--include_path ")[1].split()[0] / (run.split("--tasks ")[1].split()[0] + ".yaml")).exists())

    def test_files(self) -> None:
        utils = module(LAUNCHERS / "lmms_eval" / "tasks" / "utils.py")
        files = sorted((LAUNCHERS / "lmms_eval" / "tasks").glob("*.yaml"))
        self.assertEqual([f.stem for f in files], sorted(f"plumb_{s}" for s in plumb_client.rows.SUITES))
        for f in files:
            text = f.read_text()
            self.assertIn(f"task: {f.stem}\n", text)
            for name in {line.split("utils.")[1].split(",")[0].split("}")[0].strip() for line in text.splitlines() if "!function" in line}:
                self.assertTrue(callable(getattr(utils, name)), name)


class VlmEval(Asked):
    """The launcher with stand-ins of VLMEvalKit's base class and lists."""

    def test_a_run(self) -> None:
        launcher = module(LAUNCHERS / "vlmeval" / "plumb_vlmeval.py")

        class ImageBaseDataset:
            def __init__(self, dataset: str) -> None:
                self.data = self.load_data(dataset)

        known = {"ImageBaseDataset": ImageBaseDataset, "DATASET_CLASSES": [], "SUPPORTED_DATASETS": []}
        table = {"DataFrame": dict}
        answers = {"index": [0, 1, 2], "prediction": [BETTER, "no idea", "Failed to obtain answer via API."]}
        with tempfile.TemporaryDirectory() as folder:
            found = rows_of("aspire", Path(folder))[:3]
            with trainers.installed("plumb_client.verl", "PlumbTool", vlmeval__dataset=known, vlmeval__smp={"load": lambda f: answers}, pandas=table), \
                    mock.patch.dict("os.environ", PLUMB_ROWS=folder):  # fmt: skip
                cls = launcher.register()
                self.assertEqual(sys.modules["vlmeval.dataset"].DATASET_CLASSES, [cls])
                self.assertIn("plumb_aspire", sys.modules["vlmeval.dataset"].SUPPORTED_DATASETS)
                dataset = cls("plumb_aspire")
                self.assertEqual(dataset.data["question"][0], found[0]["prompt"])
                got = dataset.evaluate(str(Path(folder) / "MODEL_plumb_aspire.xlsx"))
            want = [episodes.score(found[0]["id"], BETTER), episodes.score(found[1]["id"], "no idea")]
            self.assertEqual(got, {"Overall": [sum(want) / 2], "scored": [2], "failed": [1]})
            lines = [json.loads(line) for line in (Path(folder) / "MODEL_plumb_aspire_plumb.jsonl").read_text().splitlines()]
            self.assertEqual([line["score"] for line in lines], [*want, None])
            with self.assertRaisesRegex(FileNotFoundError, "plumb_tangram.*plumb prompt --rows"), mock.patch.dict("os.environ", PLUMB_ROWS=folder):
                launcher.columns_of("plumb_tangram")

    def test_nothing_could_be_scored(self) -> None:
        launcher = module(LAUNCHERS / "vlmeval" / "plumb_vlmeval.py")
        with self.assertRaisesRegex(ValueError, "none of 1"):
            launcher.evaluate([UNSCORABLE], [VAGUE])

    def test_readme(self) -> None:
        """The command finds the launcher, which asks for VLMEvalKit's folder."""
        command = blocks("VLMEvalKit", "sh")[0].replace("python ", f"{sys.executable} ")
        done = subprocess.run(["bash", "-c", command], cwd="/", env={**os.environ, "PYTHONPATH": str(HERE), "PLUMB": str(ROOT)},
                              capture_output=True, text=True)  # fmt: skip
        self.assertIn("no run.py here", done.stderr)

    def test_no_script(self) -> None:
        done = subprocess.run([sys.executable, str(LAUNCHERS / "vlmeval" / "plumb_vlmeval.py")], cwd="/", env={**os.environ, "PYTHONPATH": str(HERE)},
                              capture_output=True, text=True)  # fmt: skip
        self.assertIn("no run.py here", done.stderr)


class OpenInstruct(Asked):
    def test_launcher(self) -> None:
        """The script finds the verifier among those that are imported."""
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "open_instruct"
            package.mkdir()
            (package / "__init__.py").write_text("")
            (package / "ground_truth_utils.py").write_text(
                "class VerificationResult:\n    def __init__(self, score, cost=0.0, reasoning=None):\n        self.score = score\n"
                "class VerifierFunction:\n    def __init__(self, name, weight=1.0, verifier_config=None):\n        self.name = name\n"
            )
            (package / "run.py").write_text(
                "import sys\nfrom open_instruct.ground_truth_utils import VerifierFunction\n"
                "made = {c().name: c() for c in VerifierFunction.__subclasses__()}\n"
                "print(sorted(made), made['plumb']([1], sys.argv[1], sys.argv[2]).score, type(made['plumb']).__module__)\n"
            )
            done = subprocess.run([sys.executable, "-m", "plumb_client.open_instruct", str(package / "run.py"), BETTER, episodes.label("arrow-00")],
                                  env={**os.environ, "PYTHONPATH": f"{HERE}:{folder}"}, capture_output=True, text=True)  # fmt: skip
        self.assertEqual((done.stdout, done.stderr), (f"['plumb'] {self.better} plumb_client.open_instruct\n", ""))


class Versions(unittest.TestCase):
    def test_unknown_version_is_one_line(self) -> None:
        with mock.patch.object(metadata, "version", return_value="0.1"), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            versions.check("trl")
        self.assertEqual([str(w.message) for w in said], ["trl: got version 0.1; known to work: 1.16.0"])
        with mock.patch.object(metadata, "version", return_value="0.0.1"), self.assertRaisesRegex(ImportError, "verifiers: got version 0.0.1; .* 0.3.1 and 0.4.0"):
            versions.check("verifiers", missing=ImportError("no v1"))

    def test_known_versions_are_those_of_the_lists(self) -> None:
        """What is said to work is what the lists of packages install."""
        lists = "".join(path.read_text() for path in (HERE / "requirements").glob("*.txt"))
        for package, known in versions.KNOWN.items():
            for version in known:
                self.assertIn(f"{package}=={version}", lists)


if __name__ == "__main__":
    unittest.main()
