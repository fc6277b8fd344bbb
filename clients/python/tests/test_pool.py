"""The connections of a process: many at once, any loop, threads, forks, interrupts."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import plumb_client
from plumb_client import AsyncClient, Client
from tests import faults

ITEM = {"id": "a"}
LONG = 60


class Pools(unittest.TestCase):
    def test_500_in_flight(self) -> None:
        """Nobody is answered before 500 requests are there, from loops and threads."""
        with faults.Server(faults.together(500)) as s:
            got: list[float | None] = []

            async def some(n: int) -> None:
                client = AsyncClient(s.url)
                got.extend(r.reward for r in await asyncio.gather(*(client.score(ITEM) for _ in range(n))))

            def loops() -> None:
                asyncio.run(some(100))

            def one() -> None:
                got.append(Client(s.url).score(ITEM).reward)

            threads = [threading.Thread(target=loops) for _ in range(4)] + [threading.Thread(target=one) for _ in range(100)]
            for t in threads:
                t.start()
            for t in threads:
                t.join(LONG)
            self.assertEqual(got, [0.5] * 500)

    def test_connections_are_kept(self) -> None:
        with faults.Server(faults.ok()) as s:
            for _ in range(20):
                Client(s.url).score(ITEM)
                asyncio.run(AsyncClient(s.url).score(ITEM))
            self.assertEqual((len(s.seen), s.connections), (40, 1))

    def test_limit(self) -> None:
        """No more than `connections` requests at a time, and the wait is told apart."""
        release = threading.Event()
        with faults.Server(faults.after(release)) as s:
            client = AsyncClient(s.url, connections=3)

            async def go() -> list[plumb_client.Result]:
                tasks = [asyncio.ensure_future(client.score(ITEM)) for _ in range(10)]
                await asyncio.get_running_loop().run_in_executor(None, s.wait, 3)
                await asyncio.sleep(0.1)
                self.assertEqual(len(s.seen), 3)
                release.set()
                return await asyncio.gather(*tasks)

            results = asyncio.run(go())
            self.assertEqual(len(s.seen), 10)
            self.assertLessEqual(s.connections, 3)
            self.assertGreater(max(r.timings.client_wait_ms for r in results), 50)
            self.assertEqual(s.seen[0].headers["x-request-id"] in {r.timings.request_id for r in results}, True)

    def test_wait_for_a_place_ends(self) -> None:
        with faults.Server(faults.hang) as s:
            held = AsyncClient(s.url, connections=1, timeout=30)
            hurried = AsyncClient(s.url, connections=1, timeout=0.3)

            async def go() -> None:
                first = asyncio.ensure_future(held.score(ITEM))
                await asyncio.get_running_loop().run_in_executor(None, s.wait, 1)
                with self.assertRaisesRegex(plumb_client.Unavailable, "busy"):
                    await hurried.score(ITEM)
                queued = asyncio.ensure_future(held.score(ITEM))
                await asyncio.sleep(0.05)
                queued.cancel()  # while it waits
                first.cancel()
                await asyncio.gather(first, queued, return_exceptions=True)

            asyncio.run(go())
            s.script.append(faults.ok())
            self.assertEqual(Client(s.url, connections=1).score(ITEM).reward, 0.5)  # no place was lost

    def test_loop_is_not_blocked(self) -> None:
        release = threading.Event()
        with faults.Server(faults.after(release)) as s:

            async def go() -> float | None:
                task = asyncio.ensure_future(AsyncClient(s.url).score(ITEM))
                for _ in range(100):
                    await asyncio.sleep(0.001)
                release.set()  # never, if the call had blocked this loop
                return (await task).reward

            self.assertEqual(asyncio.run(go()), 0.5)

    def test_cancel(self) -> None:
        with faults.Server(faults.hang) as s:

            async def go() -> None:
                task = asyncio.ensure_future(AsyncClient(s.url).score(ITEM))
                await asyncio.get_running_loop().run_in_executor(None, s.wait, 1)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

            asyncio.run(go())
            self.assertTrue(s.seen[0].gone.wait(LONG), "the request was not given up")
            self.assertEqual(len(s.seen), 1)

    def test_timeout_of_the_caller(self) -> None:
        with faults.Server(faults.hang) as s:

            async def go() -> None:
                task = asyncio.ensure_future(AsyncClient(s.url).reward_many(["{}"] * 5, ["x"] * 5))
                await asyncio.get_running_loop().run_in_executor(None, s.wait, 5)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(task, 0.01)

            asyncio.run(go())
            self.assertTrue(s.wait(5).gone.wait(LONG))

    def test_keyboard_interrupt(self) -> None:
        with faults.Server(faults.hang) as s:
            main = threading.main_thread().ident or 0
            threading.Thread(target=lambda: (s.wait(1), signal.pthread_kill(main, signal.SIGINT))).start()
            with self.assertRaises(KeyboardInterrupt):
                Client(s.url).score(ITEM)
            self.assertTrue(s.seen[0].gone.wait(LONG), "the request was not given up")
            self.assertEqual(len(s.seen), 1)

    def test_close(self) -> None:
        release = threading.Event()
        with faults.Server(faults.ok(), faults.hang, faults.ok()) as s:
            client = Client(s.url)
            client.score(ITEM)
            caught: list[BaseException] = []

            def wait() -> None:
                try:
                    client.score(ITEM)
                except plumb_client.Unavailable as e:
                    caught.append(e)
                release.set()

            threading.Thread(target=wait).start()
            s.wait(2)
            plumb_client.close()
            self.assertTrue(release.wait(LONG))
            self.assertRegex(str(caught[0]), "closed")
            plumb_client.close()
            self.assertEqual(client.score(ITEM).reward, 0.5)

    def test_waiting_within_the_pool_is_refused(self) -> None:
        from plumb_client import pool

        async def work(_: object) -> float | None:
            return Client("http://127.0.0.1:1").score(ITEM).reward

        with self.assertRaisesRegex(RuntimeError, "within the pool"):
            pool.submit(work).result(LONG)


class Forks(unittest.TestCase):
    def test_fork(self) -> None:
        """A child has connections of its own; the parent's go on, and so does its request."""
        release = threading.Event()
        with faults.Server(faults.ok(), faults.after(release), faults.ok()) as s:
            client = Client(s.url)
            client.score(ITEM)
            got: list[float | None] = []
            t = threading.Thread(target=lambda: got.append(client.score(ITEM).reward))
            t.start()
            s.wait(2)
            children = []
            for _ in range(3):
                if (pid := os.fork()) == 0:
                    code = 1
                    try:
                        ok = [client.score(ITEM).reward for _ in range(5)] == [0.5] * 5
                        ok = ok and asyncio.run(AsyncClient(s.url).score(ITEM)).reward == 0.5
                        plumb_client.close()
                        code = 0 if ok else 2
                    finally:
                        os._exit(code)
                children.append(pid)
            for pid in children:
                _, status = os.waitpid(pid, 0)
                self.assertEqual(os.waitstatus_to_exitcode(status), 0)
            release.set()
            t.join(LONG)
            self.assertEqual(got, [0.5])
            before = s.connections
            self.assertEqual(client.score(ITEM).reward, 0.5)
            self.assertEqual(s.connections, before, "the parent lost its connection")
            self.assertEqual(len(s.seen), 2 + 3 * 6 + 1)

    def script(self, text: str, url: str) -> subprocess.CompletedProcess[str]:
        here = Path(__file__).resolve().parents[1]
        return subprocess.run([sys.executable, "-W", "error", "-c", text, url], cwd=here, capture_output=True,
                              text=True, timeout=LONG)  # fmt: skip

    def test_fork_while_a_name_is_resolved(self) -> None:
        """What resolves names is loaded before a fork can come in between: see pool."""
        with faults.Server(faults.ok()) as s:
            done = self.script(
                "import os, sys, plumb_client\n"
                "c = plumb_client.Client(sys.argv[1].replace('127.0.0.1', 'localhost'))\n"
                "os.register_at_fork(before=lambda: print(c.score({'id': 'a'}).reward, flush=True))\n"
                "if (pid := os.fork()) == 0: os._exit(0)\n"
                "os.waitpid(pid, 0)\n"
                "print(c.score({'id': 'a'}).reward)\n",
                s.url,
            )
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0.5\n0.5\n", ""))

    def test_exit_is_quiet(self) -> None:
        """No warning and no hang at the end of a process, whatever is under way."""
        with faults.Server(faults.ok(), faults.hang) as s:
            done = self.script(
                "import sys, threading, plumb_client\n"
                "c = plumb_client.Client(sys.argv[1])\n"
                "print(c.score({'id': 'a'}).reward)\n"
                "def wait():\n"
                "    try: c.score({'id': 'a'})\n"
                "    except plumb_client.Unavailable: pass\n"
                "threading.Thread(target=wait, daemon=True).start()\n"
                "import time; time.sleep(0.2)\n",
                s.url,
            )
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0.5\n", ""))

    def test_nothing_happens_at_import(self) -> None:
        done = self.script(
            "import importlib, pkgutil, sys, threading, plumb_client\n"
            "for m in pkgutil.iter_modules(plumb_client.__path__):\n"
            "    m.name in ('gem', 'openreward', 'shm') or importlib.import_module('plumb_client.' + m.name)\n"
            "assert threading.active_count() == 1\n"
            "assert not {'trl', 'torch', 'verl', 'ray', 'roll', 'verifiers', 'numpy'} & set(sys.modules)\n",
            "",
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
