"""Shared memory with the real daemon: arrays hold the pixels of the PNG."""

import gc
import os
import subprocess
import sys
import time
import unittest
import zlib
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plumb_client import Client, Refused
from plumb_client.result import Failure
from plumb_client.shm import Region
from tests import daemon

SOCKET = daemon.folder() / "shm.sock"


@cache
def lender() -> daemon.Daemon:
    return daemon.Daemon("--allow-client-shm", "--shm-trust-loopback", "--shm-socket", str(SOCKET), "--runtime-dir", str(daemon.folder() / "run"))


def scene(i: int) -> dict[str, Any]:
    props = {"geo": "ellipse", "w": 60 + i, "h": 40, "fill": "solid", "color": "red"}
    return {"id": f"s{i}", "shapes": [{"id": "shape:a", "type": "geo", "x": 20, "y": 10, "opacity": 0.5, "props": props}],
            "bounds": [0, 0, 120 + i, 70]}  # fmt: skip


def decoded(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG of 8 bits without interlacing; filters by hand."""
    at, data, head = 8, b"", b""
    while at < len(png):
        n, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        chunk = png[at + 8 : at + 8 + n]
        head, data = (chunk, data) if kind == b"IHDR" else (head, data + chunk if kind == b"IDAT" else data)
        at += 12 + n
    w, h = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    depth = {0: 1, 2: 3, 6: 4}[head[9]]
    raw, out = zlib.decompress(data), np.zeros((h, w * depth), np.uint8)
    for y in range(h):
        rule, line = raw[y * (w * depth + 1)], raw[y * (w * depth + 1) + 1 : (y + 1) * (w * depth + 1)]
        for x, v in enumerate(line):
            a = int(out[y, x - depth]) if x >= depth else 0
            b = int(out[y - 1, x]) if y else 0
            c = int(out[y - 1, x - depth]) if y and x >= depth else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            out[y, x] = (v + (0, a, b, (a + b) // 2, paeth)[rule]) & 255
    return out.reshape(h, w, depth)


def segments(creator: int) -> int:
    """How many segments a process has made; others make some at the same time."""
    with open("/proc/sysvipc/shm") as f:
        return sum(1 for line in f if line.split()[4] == str(creator))


class Shared(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(lender().url)

    def both(self) -> list[Region]:
        return [Region(self.client, 1 << 20), Region(self.client, 1 << 20, socket=str(SOCKET))]

    def test_pictures(self) -> None:
        for region in self.both():
            with region, self.subTest(region=region):
                want = decoded(self.client.render(scene(0)))
                got = region.render(scene(0))
                self.assertEqual(got.shape, (70, 120, 4))
                self.assertTrue(np.shares_memory(got, region.memory))
                np.testing.assert_array_equal(got, want)
                self.assertGreater(int(got[..., 3].sum()), 0)
                alpha = region.render(scene(0), offset=100_000, channels="alpha")
                np.testing.assert_array_equal(alpha, got[..., 3])
                many = region.render_many([scene(1), {"shapes": 5}, scene(2)])
                self.assertIsInstance(many[1], Failure)
                for i, picture in ((1, many[0]), (2, many[2])):
                    assert not isinstance(picture, Failure)
                    np.testing.assert_array_equal(picture, decoded(self.client.render(scene(i))))

    def test_metrics(self) -> None:
        with Region(self.client, 1 << 20) as region:
            pixels = region.render(scene(0))
            alpha = pixels[..., 3].astype(np.uint64)
            inside, outside = region.metrics(pixels), region.metrics(pixels[..., 3])
            self.assertEqual(inside, outside)
            a = inside["a"]
            self.assertEqual(a["alpha_sum"], float(alpha.sum()))
            self.assertEqual(a["covered_pixels"], int((alpha > 0).sum()))
            x = float((alpha * np.arange(120, dtype=np.uint64)).sum()) / float(alpha.sum()) + 0.5
            self.assertEqual(a["center_of_mass"][0], x)
            other = np.zeros((70, 120), np.uint8)
            other[30, 40] = 255
            pair = region.metrics(pixels, other)
            self.assertEqual((pair["both_pixels"], pair["coverage"]), (1, 1 / a["covered_pixels"]))
            with self.assertRaises(ValueError):
                region.metrics(np.zeros((3, 3), np.float32))

    def test_refusals(self) -> None:
        with self.assertRaises(ValueError):
            Region(self.client, 0)
        with Region(self.client, 1000, name="mine") as region:
            with self.assertRaises(Refused) as e:
                region.render(scene(0))
            self.assertEqual(e.exception.code, "region_too_small")
            with self.assertRaises(ValueError):
                region.render(scene(0), offset=1000)
            with self.assertRaises(Refused) as e:
                Region(self.client, 1000, name="mine")
            self.assertEqual(e.exception.code, "region_exists")
        with self.assertRaises(Refused):
            Region(Client(daemon.shared().url), 1000)  # a daemon that does not allow it

    def test_lifetime(self) -> None:
        """Arrays outlive their region; segments do not outlive their arrays."""
        gc.collect()
        before = segments(os.getpid())
        for region in self.both():
            picture = region.render(scene(0))
            copy = picture.copy()
            region.close()
            region.close()
            np.testing.assert_array_equal(picture, copy)
            del picture, region
        gc.collect()
        self.assertEqual(segments(os.getpid()), before)

    def test_killed(self) -> None:
        """A client that is killed leaves nothing: the system frees its segment."""
        code = (
            "import os, sys; from plumb_client import Client; from plumb_client.shm import Region\n"
            f"r = Region(Client({lender().url!r}), 4096); print('up', flush=True); sys.stdin.read()"
        )
        p = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ)
        assert p.stdout is not None and p.stdin is not None
        self.assertEqual(p.stdout.readline(), b"up\n")
        self.assertEqual(segments(p.pid), 1)
        p.kill()
        p.communicate()
        for _ in range(3000):  # the daemon looks once a second
            if segments(p.pid) == 0:
                return
            time.sleep(0.01)
        self.fail("the segment is still there")

    def test_restart(self) -> None:
        """A daemon that was restarted is told of the region again."""
        run, sock = daemon.folder() / "run2", daemon.folder() / "shm2.sock"
        flags = ("--allow-client-shm", "--shm-trust-loopback", "--shm-socket", str(sock), "--runtime-dir", str(run))
        path = daemon.folder() / "restart.sock"
        first = daemon.Daemon(*flags, socket=path)
        client = Client(f"unix:{path}")
        regions = [Region(client, 1 << 20), Region(client, 1 << 20, socket=str(sock))]
        want = [r.render(scene(3)).copy() for r in regions]
        first.process.kill()
        first.process.wait()
        second = daemon.Daemon(*flags, socket=path)
        for r, w in zip(regions, want):
            np.testing.assert_array_equal(r.render(scene(3)), w)
            self.assertFalse(any(isinstance(p, Failure) for p in r.render_many([scene(1)])))
            r.close()
        second.stop()

