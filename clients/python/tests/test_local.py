"""A daemon of this process: one for a process tree, gone with whoever started it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import plumb_client
from plumb_client import local, rows
from tests import daemon
from tests.readme import HERE, ROOT, blocks

TASKS = {"aspire": str(HERE / "examples" / "tasks.jsonl")}
FLAGS = ("--backend", "cpu", "--fidelity", "native")
#: Starts a daemon, says where it is, and waits.
CHILD = f"""
import json, sys
from plumb_client import local
d = local.Daemon({TASKS!r}, flags={FLAGS!r})
print(json.dumps([d.url, d.started, [p.process.pid for p in local._running.values()]]), flush=True)
sys.stdin.read()
"""


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Local(unittest.TestCase):
    def setUp(self) -> None:
        env = {**daemon.environment(PLUMB_BIN=str(Path(daemon.BIN).resolve())), "PYTHONPATH": str(HERE)}
        env.pop("PLUMB_URL", None)
        patch = mock.patch.dict("os.environ", env, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def child(self) -> tuple[subprocess.Popen, list]:
        """A process with CHILD, and what it said."""
        p = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.stdin.close(), p.stdout.close(), p.wait()))
        return p, json.loads(p.stdout.readline())

    def gone(self, pid: int) -> bool:
        """Waits for the end of a process."""
        deadline = time.monotonic() + 20
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        return not alive(pid)

    def test_one_for_a_process_tree(self) -> None:
        with local.Daemon(TASKS, flags=FLAGS) as first:
            self.assertTrue(first.started)
            self.assertEqual(os.stat(Path(first.url.removeprefix("unix:")).parent).st_mode & 0o077, 0)
            self.assertFalse(local.Daemon(TASKS, flags=FLAGS).started)
            p, (url, started, _) = self.child()
            self.assertEqual((url, started), (first.url, False))
            p.stdin.close()
            p.wait()
            self.assertTrue(plumb_client.Client(first.url).health().ready)
            with local.Daemon(flags=FLAGS) as other:
                self.assertNotEqual(other.url, first.url)
                self.assertEqual(plumb_client.Client(other.url).task_suites(), [])
            pid = os.fork()
            if pid == 0:  # a forked child shares it and does not end it
                same = local.Daemon(TASKS, flags=FLAGS)
                local._stop_all()
                os._exit(0 if same.url == first.url and not same.started else 1)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
            self.assertEqual(len(plumb_client.Client(first.url).tasks("aspire")), 8)
        self.assertFalse(Path(first.url.removeprefix("unix:")).parent.exists())
        self.assertEqual(json.loads(os.environ[local.VARIABLE]), {})

    def test_gone_with_its_parent(self) -> None:
        for end in (signal.SIGKILL, signal.SIGTERM, None):
            with self.subTest(end):
                p, (_, started, pids) = self.child()
                self.assertTrue(started)
                self.assertTrue(alive(pids[0]))
                p.send_signal(end) if end else p.stdin.close()
                p.wait()
                self.assertTrue(self.gone(pids[0]))

    def test_a_forked_child_does_not_keep_it(self) -> None:
        """Killed with a forked child that lives on: the daemon ends."""
        forking = CHILD.replace("sys.stdin.read()", "import os, time\nchild = os.fork()\n"
                                "if child == 0: time.sleep(60)\nprint(child, flush=True)\nsys.stdin.read()")  # fmt: skip
        p = subprocess.Popen([sys.executable, "-c", forking], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, _, pids = json.loads(p.stdout.readline())
        forked = int(p.stdout.readline())
        try:
            p.kill()
            p.wait()
            self.assertTrue(self.gone(pids[0]))
            self.assertTrue(alive(forked))
        finally:
            os.kill(forked, signal.SIGKILL)
            p.stdin.close()
            p.stdout.close()

    def test_another_after_one_that_died(self) -> None:
        d = local.Daemon(TASKS, flags=FLAGS)
        next(iter(local._running.values())).process.kill()
        next(iter(local._running.values())).process.wait()
        with local.Daemon(TASKS, flags=FLAGS) as again:
            self.assertNotEqual(again.url, d.url)
            self.assertTrue(plumb_client.Client(again.url).health().ready)

    def test_leftovers_are_removed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
            for name, age in (("old", 7200), ("new", 0), ("alive", 7200)):
                path = Path(folder) / f"{local.PREFIX}{name}"
                path.mkdir()
                (path / ("socket" if name == "alive" else "log")).touch()
                os.utime(path, (time.time() - age, time.time() - age))
            local._sweep()
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), [local.PREFIX + "alive", local.PREFIX + "new"])

    def test_what_does_not_start(self) -> None:
        with self.assertRaisesRegex(plumb_client.NotReady, "tasks.jsonl|nosuch"):
            local.Daemon(TASKS, flags=["--nosuch"])
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
            f.write("no json\n")
            f.flush()
            with self.assertRaisesRegex(plumb_client.NotReady, "does not start: .*" + Path(f.name).name):
                local.Daemon({"aspire": f.name}, flags=FLAGS)
        with self.assertRaisesRegex(FileNotFoundError, "nowhere"):
            local.Daemon({"aspire": "nowhere.jsonl"})

    def test_programs(self) -> None:
        with mock.patch.dict("os.environ", {"PLUMB_BIN": "/nowhere"}), self.assertRaisesRegex(local.NoProgram, "/nowhere"):
            local.find_program()
        with mock.patch.dict("os.environ"), tempfile.TemporaryDirectory() as folder:
            del os.environ["PLUMB_BIN"]
            os.environ["PATH"] = folder
            with self.assertRaisesRegex(local.NoProgram, "plumb-bin"):
                local.find_program()
            (Path(folder) / "plumb").symlink_to(daemon.BIN)
            self.assertEqual(local.find_program(), str(Path(folder) / "plumb"))

    def test_found(self) -> None:
        self.assertEqual(local.find("http://a:1"), ("http://a:1", False))
        with mock.patch.dict("os.environ", {"PLUMB_URL": "http://b:2"}):
            self.assertEqual(local.find(), ("http://b:2", False))

    def test_readme(self) -> None:
        code = blocks("Without a daemon", "python")[0]
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("['aspire']\n", ""))


class Rows(unittest.TestCase):
    """Tasks as rows of a dataset."""

    def test_own_items_are_those_of_the_tests(self) -> None:
        items = [json.loads(line) for line in (ROOT / "testdata/vqa/items.jsonl").read_text().splitlines()]
        for suite in ("spatialab", "spaceeval"):
            own = [json.loads(line) for line in (rows.OWN / f"{suite}.jsonl").read_text().splitlines()]
            self.assertEqual(own, [i for i in items if i["suite"] == suite])

    def test_a_daemon_with_tasks(self) -> None:
        d = daemon.shared()
        found = rows.load("aspire", url=d.url)
        self.assertEqual((found.url, found.own, found.tasks), (d.url, False, None))
        self.assertEqual({r.id for r in found.rows}, {i["id"] for i in daemon.items()})
        client = plumb_client.Client(d.url)
        item = daemon.items()[0]
        label = next(r.label for r in found.rows if r.id == item["id"])
        self.assertEqual(client.reward(label, item["response"]).score, daemon.expected()[0]["score"])

    def test_a_daemon_without_tasks_of_the_suite(self) -> None:
        with self.assertLogs("plumb_client", "WARNING") as logs:
            found = rows.load("spatialab", url=daemon.shared().url)
        self.assertTrue(found.own)
        self.assertIn("not the benchmark's", logs.output[0])
        self.assertEqual(len(found.rows), 12)
        with self.assertRaisesRegex(ValueError, "--tasks drawingbench=FILE"):
            rows.load("drawingbench", url=daemon.shared().url)

    def test_a_file_and_a_daemon(self) -> None:
        found = rows.load("aspire", items=TASKS["aspire"], url=daemon.shared().url)
        self.assertEqual(len(found.rows), 8)
        self.assertIn("shapes", json.loads(found.rows[0].label))
        with self.assertRaisesRegex(ValueError, "line 1.*--tasks"):
            rows.load("drawingbench", items=str(ROOT / "testdata/drawingbench/tasks.json"), url=daemon.shared().url)
        with self.assertRaisesRegex(ValueError, "got suite 'nope'"):
            rows.load("nope")


class Prompts(unittest.TestCase):
    def test_prompt_is_that_of_the_command(self) -> None:
        """Client.prompt gives the text and pictures of `plumb prompt --images`."""
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([daemon.BIN, "prompt", "--images", folder, TASKS["aspire"]], env=daemon.environment(), capture_output=True, check=True)
            want = [json.loads(line) for line in out.stdout.splitlines()]
            client = plumb_client.Client(daemon.shared().url)
            for line, task in zip(want, Path(TASKS["aspire"]).read_text().splitlines()):
                got = client.prompt(task)
                self.assertEqual(got.text, line["prompt"])
                self.assertEqual([p.data for p in got.images], [Path(line["image"]).read_bytes()])
                self.assertEqual([b["type"] for b in got.content()], ["image_url", "text"])


if __name__ == "__main__":
    unittest.main()
