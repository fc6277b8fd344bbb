"""Runs on Ray without Ray: what becomes of the exit codes of shards. frameworks/run_ray.py uses
the real package; the stand-in for plumb here has faults that a real shard cannot be made to have."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from plumb_client import ray_jobs
from tests import daemon


class Ref:
    """The value of a task that has run."""

    def __init__(self, value: Any) -> None:
        self.value = value


def stand_in(flying: list[int]) -> types.ModuleType:
    """A module that runs tasks at once. flying gets the number of tasks that were waited for."""
    ray = types.ModuleType("ray")
    attributes: dict[str, Any] = {
        "is_initialized": lambda: True,
        "cluster_resources": lambda: {"CPU": 2.0},
        "remote": lambda **_: lambda f: types.SimpleNamespace(remote=lambda *a: Ref(f(*a))),
        "wait": lambda refs, num_returns: (flying.append(len(refs)), (refs[:1], refs[1:]))[1],
        "get": lambda ref: ref.value,
        "exceptions": types.SimpleNamespace(RayError=OSError),
    }
    for name, value in attributes.items():
        setattr(ray, name, value)
    return ray


class RayJobs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.flying: list[int] = []
        modules = mock.patch.dict(sys.modules, ray=stand_in(self.flying))
        modules.start()
        self.addCleanup(modules.stop)

    def program(self, shard: str) -> str:
        """A program with 9 shards. shard is a command of shell that scores one; it may use $k, the shard's number, and
        $bisect, which is --bisect or empty."""
        path = self.dir / "plumb"
        path.write_text(f"""#!/bin/sh
echo "$*" >>{self.dir}/calls
case "$*" in
*--plan) echo '{{"manifest":"m","shards":9,"done":0}}' ;;
shard*) k=$6; bisect=${{7:-}}; {shard} ;;
esac
""")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def calls(self, part: str) -> int:
        return sum(part in line for line in (self.dir / "calls").read_text().splitlines())

    def test_done(self) -> None:
        ray_jobs.score(["d", "-o", "f"], plumb=self.program("exit 0"))
        self.assertEqual((self.calls("shard run"), self.calls("score d -o f")), (9, 2))
        self.assertLessEqual(max(self.flying), 4)

    def test_tried_again(self) -> None:
        ray_jobs.score(["d", "-o", "f"], plumb=self.program(f'[ $k != 3 ] || [ -e {self.dir}/tried ] || {{ touch {self.dir}/tried; exit 1; }}'))
        self.assertEqual(self.calls("--shard 3"), 2)

    def test_killed(self) -> None:
        with self.assertRaisesRegex(ray_jobs.ShardError, "shard 3: exit code -9 at try 2"):
            ray_jobs.score(["d", "-o", "f"], plumb=self.program("[ $k != 3 ] || kill -9 $$"), tries=2)

    def test_wrong_use(self) -> None:
        with self.assertRaisesRegex(ray_jobs.ShardError, "exit code 2 at try 1: no such flag"):
            ray_jobs.score(["d", "-o", "f"], plumb=self.program("echo no such flag >&2; exit 2"))

    def test_poison(self) -> None:
        ray_jobs.score(["d", "-o", "f"], plumb=self.program('[ $k != 3 ] || [ "$bisect" = --bisect ] || exit 3'))
        self.assertEqual(self.calls("--shard 3 --bisect"), 1)

    def test_real_program(self) -> None:
        """The real program gives the file that one process writes."""
        dump = self.dir / "dump.jsonl"
        dump.write_text("".join(json.dumps(i) + "\n" for i in daemon.items()))
        flags = ["--backend", "cpu", "--paper", "none", str(dump), "-o"]
        with mock.patch.dict(os.environ, daemon.environment()):
            ray_jobs.score([*flags, str(self.dir / "a.jsonl")], plumb=daemon.BIN)
            subprocess.run([daemon.BIN, "score", *flags, str(self.dir / "b.jsonl")], check=True, capture_output=True)
        self.assertEqual((self.dir / "a.jsonl").read_bytes(), (self.dir / "b.jsonl").read_bytes())
        with self.assertRaises(subprocess.CalledProcessError):
            ray_jobs.score(["--no-such-flag"], plumb=daemon.BIN)


if __name__ == "__main__":
    unittest.main()
