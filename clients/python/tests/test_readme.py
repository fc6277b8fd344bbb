"""The README's section "In a trainer": every block of code runs as it stands there,
here with stand-ins, in `make test-envs` with the real packages."""

import asyncio
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import types
import unittest
import urllib.request
from pathlib import Path
from typing import Any
from unittest import mock

import plumb_client
from plumb_client import versions
from tests import daemon, trainers
from tests.readme import HERE, ROOT, blocks, headings


def words(block: str) -> list[list[str]]:
    """The words of each line of shell, as a program would get them."""
    out = []
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(HERE)}
    for line in block.splitlines():
        done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], env=env, capture_output=True, text=True, check=True)
        out.append(done.stdout.split("\0")[:-1])
    return out


def loaded(path: str) -> Any:
    """A module by its path, as verl and OpenRLHF load it."""
    spec = importlib.util.spec_from_file_location("custom_module", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found(name: str) -> Any:
    """PACKAGE.MODULE.NAME, as configuration files name it."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


class Readme(unittest.TestCase):
    def setUp(self) -> None:
        self.url = daemon.shared().url
        patch = mock.patch.dict("os.environ", {"PLUMB_URL": self.url})
        patch.start()
        self.addCleanup(patch.stop)
        item, self.want = daemon.items()[0], daemon.expected()[0]["reward"]
        self.label, self.answer = daemon.label(item), item["response"]

    def test_no_block_is_left_out(self) -> None:
        """Every section with blocks is run by a test: most here or in a file test_NAME.py, some
        by a target of their own."""
        elsewhere = {"Two minutes": 2, "TRL": 1, "verifiers and prime-rl": 4, "SkyRL": 1, "inspect_ai": 2, "OpenEnv": 1,
                     "ORS (openreward)": 1, "GEM": 1, "plumb-whiteboard": 2, "NeMo Gym": 2}  # fmt: skip
        tests = "".join(path.read_text() for path in (HERE / "tests").glob("test_*.py"))
        for name, count in headings().items():
            run = len(re.findall(rf'blocks\("{re.escape(name)}", "\w+"\)\[\d\]', tests))
            self.assertEqual(count, max(run, elsewhere.get(name, 0)), f"blocks of {name}")

    def test_what_is_installed(self) -> None:
        """Every `pip install` names files that are there or are built, and versions that were
        run; every framework with known versions is installed by one, or said to be."""
        text = re.sub(r"\s+", " ", (HERE / "README.md").read_text())
        lines = re.findall(r"pip install ([^`\n]*?)(?:`| vf-eval| inspect eval)", text)
        pinned = {}
        for line in lines:
            for what in line.split():
                name, _, version = what.partition("==")
                if version:
                    pinned.setdefault(name, set()).add(version)
                elif what.startswith("build/wheels/"):
                    folder = {"plumb_client": "python", "plumb_bin": "bin", "plumb_inspect": "inspect", "plumb_whiteboard": "verifiers",
                              "plumb_env": "openenv"}[what.removeprefix("build/wheels/").removesuffix("-*.whl")]  # fmt: skip
                    self.assertTrue((ROOT / "clients" / folder / "pyproject.toml").exists(), what)
                elif "/" in what:
                    self.assertTrue((ROOT / what / "pyproject.toml").exists(), what)
                else:
                    self.assertEqual(what, "uv")
        self.assertGreater(len(lines), 10)
        pinned["inspect-ai"] = set(re.findall(r"`inspect-ai==([0-9.]+)`", text))
        self.assertEqual({k: v <= set(versions.KNOWN[k]) and v != set() for k, v in pinned.items()}, dict.fromkeys(versions.KNOWN, True))

    def test_modules_are_found_without_an_import(self) -> None:
        """plumb_client.trl after `import plumb_client` alone, for every adapter."""
        for path in sorted((HERE / "plumb_client").glob("*.py")):
            if (name := path.stem) in ("__init__", "gem", "openreward"):  # which are classes of their frameworks
                continue
            if not re.search(rf"plumb_client\.{name}\b", (HERE / "README.md").read_text()):
                continue
            done = subprocess.run([sys.executable, "-c", f"import plumb_client; print(plumb_client.{name}.__doc__[:9])"],
                                  cwd=HERE, capture_output=True, text=True)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
        with self.assertRaisesRegex(AttributeError, "no attribute 'nope'"):
            plumb_client.nope

    def test_start(self) -> None:
        """The daemon's command line is one that it takes."""
        line = next(x for x in blocks("Two minutes", "sh")[0].splitlines() if x.startswith("bin/plumb serve "))
        flags = line.removeprefix("bin/plumb serve ").removesuffix(" &").replace("clients/python", str(ROOT / "clients/python")).split()
        d = daemon.Daemon(*flags, tasks=False)
        try:
            self.assertTrue(plumb_client.Client(d.url).health().ready)
        finally:
            d.stop()

    def test_verl(self) -> None:
        (path,), (name,) = words(blocks("verl", "sh")[0])
        module = loaded(path.removeprefix("reward.custom_reward_function.path="))
        self.assertEqual(name, "reward.custom_reward_function.name=compute_score")
        given = dict(data_source="plumb", solution_str=self.answer, ground_truth=self.label, extra_info={"num_turns": 1})
        self.assertEqual(asyncio.run(module.compute_score(**given))["score"], self.want)

    def test_nemo_rl(self) -> None:
        modules = trainers.nemo_rl_modules()
        ray = {"remote": lambda c: ("remote", c)}
        with trainers.installed("plumb_client.nemo_rl", "PlumbEnvironmentActor", ray=ray, **modules):
            for _ in range(2):  # a second call finds itself
                exec(blocks("NeMo-RL", "python")[0], {})
            entry = modules["nemo_rl__environments__utils"]["ENV_REGISTRY"]["plumb"]["actor_class_fqn"]
            self.assertEqual(modules["nemo_rl__distributed__ray_actor_environment_registry"]["ACTOR_ENVIRONMENT_REGISTRY"], {entry: "python"})
            self.assertEqual(found(entry), ("remote", plumb_client.nemo_rl.PlumbEnvironment))

    def test_open_instruct(self) -> None:
        utils = {"VerifierFunction": trainers.VerifierFunction, "VerificationResult": trainers.VerificationResult}
        with trainers.installed("plumb_client.open_instruct", "PlumbVerifier", open_instruct__ground_truth_utils=utils):
            scope: dict[str, Any] = {}
            exec(blocks("open-instruct", "python")[0], scope)
            made = {c().name: c() for c in trainers.VerifierFunction.__subclasses__() if c is scope["PlumbVerifier"]}
            self.assertEqual(made["plumb"]([1], self.answer, self.label).score, self.want)

    def test_roll(self) -> None:
        named = re.findall(r"worker_cls: (\S+)", blocks("ROLL", "yaml")[0])[0]
        with trainers.installed("plumb_client.roll", "PlumbRewardWorker", **trainers.roll_modules(None)):
            self.assertTrue(callable(found(named).compute_rewards))

    def test_openrlhf(self) -> None:
        (_, url, *rest), (_, path, *same) = words(blocks("OpenRLHF", "sh")[0])
        self.assertEqual((rest, same), (["--data.label_key", "label"],) * 2)
        body = json.dumps({"query": [self.answer], "prompts": [""], "labels": [self.label]}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body)) as r:
            self.assertEqual(json.load(r)["rewards"], [self.want])
        self.assertEqual(loaded(path).reward_func([self.answer], [""], [self.label])["rewards"], [self.want])

    def test_slime(self) -> None:
        (*_, url, key, column), (_, named, *same) = words(blocks("slime", "sh")[0])
        self.assertEqual(([key, column], same), (["--label-key", "label"],) * 2)
        body = json.dumps({"prompt": "", "response": self.answer, "label": self.label}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body)) as r:
            self.assertEqual(json.load(r), self.want)
        sample = types.SimpleNamespace(prompt="", response=self.answer, label=self.label)
        self.assertEqual(asyncio.run(found(named)(types.SimpleNamespace(reward_key=None), sample)), self.want)


if __name__ == "__main__":
    unittest.main()
