"""The real daemon: what a client gets is what `plumb score` writes."""

import asyncio
import json
import threading
import unittest
from pathlib import Path
from typing import Any

import numpy as np

import plumb_client
from plumb_client import AsyncClient, Client
from tests import daemon
from tests.daemon import foreign


def as_arrow_gives_it(v: Any) -> Any:
    """Objects as they come through Arrow and pandas: lists are numpy arrays, and the
    objects of one list share their fields, missing ones being null."""
    if isinstance(v, dict):
        return {**{k: as_arrow_gives_it(x) for k, x in v.items()}, "a_field_of_another_row": None}
    if isinstance(v, list):
        if all(isinstance(x, float) for x in v):
            return np.array(v)
        keys = {k for x in v if isinstance(x, dict) for k in x}
        merged = [{k: x.get(k) for k in keys} if isinstance(x, dict) else x for x in v]
        out = np.empty(len(v), dtype=object)
        for i, x in enumerate(merged):
            out[i] = as_arrow_gives_it(x)
        return out
    return v


class RealDaemon(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = daemon.shared()
        self.client = Client(self.daemon.url)
        self.answers = [i["response"] for i in daemon.items()]
        self.rewards = [e["reward"] for e in daemon.expected()]

    def test_score(self) -> None:
        self.assertGreater(len(daemon.items()), 50)
        self.assertGreater(len({e["reward"] for e in daemon.expected()}), 10)
        many = self.client.score_many(daemon.items())
        self.assertEqual([r.line for r in many], list(daemon.expected()))
        for item, want, of_many in list(zip(daemon.items(), daemon.expected(), many))[:8]:
            r = self.client.score(item)
            self.assertEqual(r.line, want)
            self.assertEqual(r.line, of_many.line)
            self.assertEqual((r.score, r.reward, r.id, r.test), (want["score"], want["reward"], want["id"], want["test"]))
            self.assertIsNotNone(r.timings.score_ms)

    def test_options(self) -> None:
        item = next(i for i, e in zip(daemon.items(), daemon.expected()) if e["score"] != e["reward"])
        r = self.client.score(item, reward="raw")
        self.assertEqual(r.reward, r.score)
        self.assertNotEqual(self.client.score(item).reward, r.reward)
        with self.assertRaises(plumb_client.Refused) as caught:
            self.client.score(item, variants=["nope"])
        self.assertEqual((caught.exception.status, caught.exception.code), (400, "bad_options"))

    def test_reward(self) -> None:
        """Labels of every kind name the same task."""
        for name, make in [
            ("item", daemon.label),
            ("reference", daemon.reference),
            ("object", daemon.task),
            ("arrow", lambda i: as_arrow_gives_it(daemon.task(i))),
        ]:
            with self.subTest(name):
                labels = [make(i) for i in daemon.items()]
                got = self.client.reward_many(labels, self.answers)
                self.assertEqual([r.reward for r in got], self.rewards)
                one = self.client.reward(labels[5], self.answers[5])
                self.assertEqual((one.reward, one.line), (self.rewards[5], got[5].line))

    def test_async(self) -> None:
        labels = [daemon.reference(i) for i in daemon.items()]

        async def go(client: AsyncClient) -> list[float | None]:
            return [r.reward for r in await client.reward_many(labels, self.answers)]

        for _ in range(2):
            self.assertEqual(asyncio.run(go(AsyncClient(self.daemon.url))), self.rewards)
        for url in (f"unix:{self.daemon.socket}", "http+unix://" + str(self.daemon.socket).replace("/", "%2F")):
            self.assertEqual(asyncio.run(go(AsyncClient(url))), self.rewards)

    def test_bad_labels(self) -> None:
        good = daemon.reference(daemon.items()[0])
        for bad, says in [
            ('{"suite":"aspire","id":"nobody"}', "nobody"),
            ('{"suite":"chess","id":"a"}', "chess"),
            ("maze-00", "JSON"),
            ("{}", "id"),
            ({"suite": "aspire", "id": None}, "id"),
            (None, "null"),
            (float("nan"), "NaN"),
        ]:
            with self.subTest(label=bad):
                with self.assertRaises(ValueError) as caught:
                    self.client.reward_many([good, good, bad, "{}"], ["x"] * 4)
                self.assertIn("sample 2", str(caught.exception))
                self.assertIn(says, str(caught.exception))
                assert isinstance(caught.exception, plumb_client.BadLabel)
                self.assertEqual(caught.exception.position, 2)

    def test_field_is_named(self) -> None:
        with self.assertRaises(plumb_client.BadLabel) as caught:
            self.client.reward({"suite": "chess", "id": "a"}, "x")
        self.assertEqual(caught.exception.field, "suite")

    def test_failed_scorer_is_no_wrong_answer(self) -> None:
        label, answer = foreign()
        bad, none, scored, failed = self.client.reward_many([label] * 4, ["nonsense", None, self.answers[0], answer])
        self.assertEqual((bad.reward, bad.error), (0.0, None))
        self.assertEqual((none.reward, none.error and none.error.code), (None, "no_response"))
        self.assertIsNotNone(scored.reward)
        self.assertEqual((failed.reward, failed.score, failed.failed), (None, None, True))
        assert failed.error is not None
        self.assertEqual(failed.error.code, "not_native")

    def test_odd_texts(self) -> None:
        label = daemon.reference(daemon.items()[0])
        for text in ("", "\ud800 half a pair", "\x00\x1f", "\u2028", "😀" * 1000, '"}]', "x" * 1_000_000):
            self.assertEqual(self.client.reward(label, text).reward, 0.0)
        with self.assertRaises(TypeError):
            self.client.reward(label, 7)  # type: ignore[arg-type]

    def test_messages(self) -> None:
        """Chat messages score as their text; what is no message has no score."""
        item, want = next((i, e) for i, e in zip(daemon.items(), daemon.expected()) if e["reward"])
        message = {"role": "assistant", "content": [{"type": "text", "text": item["response"]}]}
        for said in ([message], message, message["content"], {"choices": [{"message": message}]}):
            r = self.client.reward(daemon.label(item), said)
            self.assertEqual(r.reward, want["reward"])
            self.assertIn("response_unwrapped", [n["code"] for n in r.line["notes"]])
        for said in ([item["response"]], {"text": item["response"]}, [{"role": "user", "content": "x"}]):
            r = self.client.reward(daemon.label(item), said)
            self.assertEqual((r.reward, r.error and r.error.code), (None, "bad_response"))

    def test_render(self) -> None:
        scene = {"shapes": daemon.items()[0]["shapes"], "bounds": [0, 0, 64, 48]}
        for channels, kind in (("rgba", 6), ("alpha", 0)):
            png = self.client.render(scene, channels=channels)
            self.assertEqual((png[16:20], png[20:24], png[25]), (b"\0\0\0\x40", b"\0\0\0\x30", kind))
        with self.assertRaises(plumb_client.Refused):
            self.client.render(scene, bounds="nonsense")
        self.assertNotEqual(self.client.render({"shapes": scene["shapes"]}), png)

    def test_metrics(self) -> None:
        a, b = np.zeros((20, 30), np.uint8), np.zeros((20, 30), np.uint8)
        a[2:12, 5:15] = 255
        b[2:12, 10:20] = 255
        got = self.client.metrics(a, b)
        self.assertEqual((got["a"]["alpha_sum"], got["a"]["covered_pixels"], got["a"]["bbox"]), (100 * 255, 100, [5, 2, 15, 12]))
        self.assertEqual((got["a"]["center_of_mass"], got["b"]["center_of_mass"]), ([10, 7], [15, 7]))
        self.assertAlmostEqual(got["iou"], 50 / 150)
        self.assertAlmostEqual(got["hausdorff"], 5)
        rgba = np.zeros((20, 30, 4), np.uint8)
        rgba[..., 3] = a
        self.assertEqual(asyncio.run(AsyncClient(self.daemon.url).metrics(rgba))["a"]["alpha_sum"], 25500)
        png = self.client.render({"shapes": daemon.items()[0]["shapes"], "bounds": [100, 100, 200, 200]})
        self.assertEqual(self.client.metrics(png, png)["iou"], 1.0)
        for wrong in (a.astype(float), a[0], "text", None):
            with self.assertRaisesRegex(ValueError, "cannot measure a"):
                self.client.metrics(wrong)
        with self.assertRaises(plumb_client.Refused) as caught:
            self.client.metrics(a, b[:5])
        self.assertEqual(caught.exception.code, "bad_pixels")

    def test_about(self) -> None:
        self.client.wait_until_ready(10)
        self.assertTrue(self.client.health().ready)
        self.assertIn("aspire", [s["name"] for s in self.client.suites()["suites"]])
        self.assertRegex(self.client.prometheus(), r"plumb_build_info\{")

    def test_token(self) -> None:
        d = daemon.Daemon("--token-env", "PLUMB_TEST_TOKEN", PLUMB_TEST_TOKEN="right-one")
        try:
            item = daemon.items()[0]
            for c in (Client(d.url, token="right-one"), Client(d.url.replace("//", "//:right-one@"))):
                self.assertEqual(c.score(item).line, daemon.expected()[0])
                self.assertNotIn("right-one", repr(c))
            for c in (Client(d.url), Client(d.url, token="wrong-one")):
                self.assertTrue(c.health().ready)
                with self.assertRaises(plumb_client.Refused) as caught:
                    c.score(item)
                self.assertEqual(caught.exception.status, 401)
                self.assertNotIn("-one", str(caught.exception))
        finally:
            d.stop()

    def test_restart_loses_nothing(self) -> None:
        """The daemon is replaced on its socket while rewards are asked for."""
        path = Path(daemon.folder()) / "restart.sock"
        old = daemon.Daemon(socket=path)
        labels = [daemon.reference(i) for i in daemon.items()]
        rounds: list[list[float | None]] = []
        failures: list[BaseException] = []
        over, begun = threading.Event(), threading.Semaphore(0)

        def ask() -> None:
            try:
                client = Client(f"unix:{path}")
                while not over.is_set():
                    begun.release()
                    rounds.append([r.reward for r in client.reward_many(labels, self.answers)])
            except BaseException as e:
                failures.append(e)
                begun.release()

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for t in threads:
            t.start()
        for _ in range(6):
            begun.acquire()
        new = daemon.Daemon(socket=path)
        try:
            old.stop()
            old = daemon.Daemon(socket=path)  # and once more
            new.stop()
        finally:
            over.set()
            for t in threads:
                t.join(120)
            old.stop()
        self.assertEqual(failures, [])
        self.assertGreater(len(rounds), 5)
        self.assertTrue(all(r == self.rewards for r in rounds))


if __name__ == "__main__":
    unittest.main()
