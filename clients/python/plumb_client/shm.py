"""Pictures and masks in memory that this process shares with the daemon.

    from plumb_client import Client
    from plumb_client.shm import Region

    with Region(Client("unix:/run/plumb/plumb.sock"), 64 << 20) as region:
        pixels = region.render(scene)            # numpy, height x width x 4, no copy
        report = region.metrics(pixels[..., 3])  # the alpha, measured by the daemon

The daemon runs on this host with --socket and --allow-client-shm; over TCP it lends
no memory, unless --shm-trust-loopback says so. Memory is a System V
segment, or, with socket=PATH (the daemon's --shm-socket), a sealed memfd. Nothing
is left behind when this process dies. Needs numpy and Linux.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import json
import mmap
import os
import secrets
import socket as sockets
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plumb_client import calls
from plumb_client.client import Client
from plumb_client.errors import BadAnswer, Refused
from plumb_client.labels import encode_json
from plumb_client.pool import Pool
from plumb_client.result import Failure
from plumb_client.wire import Request, send

Bytes = NDArray[np.uint8]

#: The largest region that a daemon takes, in bytes.
MAX_SIZE = 1 << 30

#: Pictures of one request begin at multiples of this.
ALIGN = 64

_IPC_PRIVATE, _IPC_CREAT, _IPC_RMID = 0, 0o1000, 0
_SEALS = 0x0002 | 0x0004  # F_SEAL_SHRINK, F_SEAL_GROW
_ADD_SEALS = 1033

_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
_libc.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmdt.argtypes = (ctypes.c_void_p,)
_libc.shmctl.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class Region:
    """Memory under a name that the daemon knows. Safe for several threads as long as
    they use different parts of it.

    Arrays that it gives out stay valid, also after close, until nobody holds them;
    the next picture for the same place changes what is in them.
    """

    def __init__(self, client: Client, size: int, *, name: str | None = None, socket: str | None = None) -> None:
        """size is in bytes, at most MAX_SIZE; name is made up where there is none.

        Raises Refused where the daemon does not take it, OSError where the system does
        not give the memory, ValueError for a size that cannot be.
        """
        if not 0 < size <= MAX_SIZE:
            raise ValueError(f"cannot make a region of {size} bytes: want 1 to {MAX_SIZE}")
        self.name = name or f"py-{os.getpid()}-{secrets.token_hex(6)}"
        self.size = size
        self._client = client
        self._path = socket
        self._lease: sockets.socket | None = None
        self._lock = threading.Lock()
        self._fd, self._id = -1, -1
        if socket is None:
            self._id, self.memory = _segment(size)
        else:
            self._fd, self.memory = _memfd(size)
        try:
            self._register()
        except BaseException:
            self._drop()
            raise

    def __enter__(self) -> Region:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Region({self.name!r}, {self.size} bytes)"

    def close(self) -> None:
        """Unregisters the region; its memory is freed with the last array over it."""
        with self._lock:
            try:
                if self._lease is None:
                    self._post(f"/v2/systemsharedmemory/region/{self.name}/unregister", b"")
            except (Refused, ConnectionError):
                pass  # the daemon does not know the region, or does not run
            self._drop()

    def render(
        self, scene: object, *, offset: int = 0, size: int | None = None, channels: str = "rgba", bounds: str = ""
    ) -> Bytes:
        """Draws a scene to offset, into size bytes at most (default: what is left), and
        returns it: height x width x 4 (RGBA, not premultiplied), or height x width of alpha.

        Raises Refused where it cannot be drawn or does not fit (code region_too_small).
        """
        body = _with_place(scene, "scene", self._place(offset, self.size - offset if size is None else size))
        return self._view(self._asked("/v1/render", body, _query(channels, bounds)))

    def render_many(
        self, scenes: Sequence[object], *, channels: str = "rgba", bounds: str = ""
    ) -> list[Bytes | Failure]:
        """Draws scenes in one request, each into an equal part of the region. A scene
        that failed has a Failure in its place."""
        if not scenes:
            return []
        part = self.size // len(scenes) // ALIGN * ALIGN
        if part == 0:
            raise ValueError(f"cannot draw {len(scenes)} scenes into {self.size} bytes: want {ALIGN} for each at least")
        each = [_with_place(s, f"scene {i}", self._place(i * part, part)) for i, s in enumerate(scenes)]
        reply = self._asked("/v1/render", b'{"scenes":[' + b",".join(each) + b"]}", _query(channels, bounds))
        pictures = reply.get("pictures")
        if not isinstance(pictures, list) or len(pictures) != len(scenes):
            raise BadAnswer(f"cannot read pictures: want a list of {len(scenes)}")
        return [Failure(p["error_type"], p["error"]) if "error" in p else self._view(p) for p in pictures]

    def metrics(
        self, a: Bytes, b: Bytes | None = None, *, threshold: int = 1, hausdorff: bool = True
    ) -> dict[str, Any]:
        """Measures a mask, or two of one size: height x width of alpha, or height x width
        x 4 of RGBA. What lies in the region is read there, other arrays are sent.

        Returns the daemon's answer: the pixel metrics of a and b, and those of both
        together (coverage, iou, ...), as docs/shared-memory.md lists them.
        """
        request: dict[str, Any] = {"a": self._mask(a, "a"), "threshold": threshold, "hausdorff": hausdorff}
        if b is not None:
            request["b"] = self._mask(b, "b")
        return self._asked("/v1/metrics", json.dumps(request).encode(), ())

    def _mask(self, m: Bytes, what: str) -> dict[str, Any]:
        if m.dtype != np.uint8 or not (m.ndim == 2 or m.ndim == 3 and m.shape[2] == 4):
            raise ValueError(f"cannot measure {what}: got {m.dtype} of shape {m.shape}; want uint8, height x width or height x width x 4")
        mask = {"width": m.shape[1], "height": m.shape[0], "channels": "alpha" if m.ndim == 2 else "rgba"}
        start = m.__array_interface__["data"][0] - self.memory.__array_interface__["data"][0]
        if m.flags.c_contiguous and 0 <= start and start + m.nbytes <= self.size:
            return {**mask, "parameters": self._place(start, m.nbytes)}
        return {**mask, "data": base64.b64encode(np.ascontiguousarray(m).tobytes()).decode()}

    def _place(self, offset: int, size: int) -> dict[str, object]:
        if not 0 <= offset < self.size or not 0 < size <= self.size - offset:
            raise ValueError(f"cannot use {size} bytes at {offset}: the region has {self.size}")
        return {"shared_memory_region": self.name, "shared_memory_offset": offset, "shared_memory_byte_size": size}

    def _view(self, p: dict[str, Any]) -> Bytes:
        try:
            depth = {"rgba": 4, "alpha": 1}[p["channels"]]
            width, height, at = int(p["width"]), int(p["height"]), int(p["offset"])
        except (KeyError, TypeError, ValueError):
            raise BadAnswer("cannot read where a picture lies") from None
        if not 0 <= at <= at + width * height * depth <= self.size:
            raise BadAnswer("cannot read where a picture lies: it is not in the region")
        flat = self.memory[at : at + width * height * depth]
        return flat.reshape((height, width, 4) if depth == 4 else (height, width))

    def _asked(self, path: str, body: bytes, params: tuple[tuple[str, str], ...]) -> dict[str, Any]:
        """Posts a request and returns the answer. Where the daemon does not know the region, as
        after a restart, registers it again and repeats the request."""
        try:
            reply = self._post(path, body, params)
        except Refused as e:
            if e.code != "unknown_region":
                raise
            self._again()
            reply = self._post(path, body, params)
        got: dict[str, Any] = json.loads(reply)
        if not isinstance(got, dict):
            raise BadAnswer(f"cannot read answer of {path}: want an object")
        if path == "/v1/render" and any(p.get("error_type") == "unknown_region" for p in got.get("pictures", ())):
            self._again()
            got = json.loads(self._post(path, body, params))
        return got

    def _again(self) -> None:
        """Registers once more."""
        with self._lock:
            if self._fd < 0 and self._id < 0:
                raise ValueError("cannot use region: it is closed")
            try:
                self._register()
            except Refused as e:
                if e.code != "region_exists":  # else another thread was faster
                    raise

    def _post(self, path: str, body: bytes, params: tuple[tuple[str, str], ...] = ()) -> bytes:
        config = self._client.config

        async def work(pool: Pool) -> bytes:
            return calls._accepted(config, await send(pool, config, Request("POST", path, body, params))).body

        return self._client._run(work)

    def _register(self) -> None:
        if self._path is None:
            body = json.dumps({"key": f"sysv:{self._id}", "offset": 0, "byte_size": self.size}).encode()
            self._post(f"/v2/systemsharedmemory/region/{self.name}/register", body)
            return
        if self._lease is not None:
            self._lease.close()
        self._lease = sockets.socket(sockets.AF_UNIX, sockets.SOCK_SEQPACKET)
        self._lease.settimeout(30.0)
        self._lease.connect(self._path)
        packet = json.dumps({"register": {"name": self.name, "offset": 0, "byte_size": self.size}}).encode()
        sockets.send_fds(self._lease, [packet], [self._fd])
        reply = json.loads(self._lease.recv(8192) or b'{"error":"the daemon hung up"}')
        if not reply.get("ok"):
            raise Refused(f"cannot register region: {reply.get('error')}", code=str(reply.get("error_type", "")))

    def _drop(self) -> None:
        """Closes what this object has open. Arrays over the memory stay valid."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = self._id = -1
        self.memory = self.memory[:0]


def _segment(size: int) -> tuple[int, Bytes]:
    """A System V segment that is marked for removal at once: it is freed when its last user
    detaches, also if that is killed. Linux still lets the daemon attach by id."""
    id = _libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | 0o600)
    if id < 0:
        raise _os_error("get a segment")
    address = _libc.shmat(id, None, 0)
    failed = address is None or address == ctypes.c_void_p(-1).value
    error = _os_error("attach a segment") if failed else None
    _libc.shmctl(id, _IPC_RMID, None)
    if error is not None:
        raise error
    # The finalizer of this object detaches the segment, once the last array over it is gone.
    kind: Any = type("Segment", (ctypes.c_ubyte * size,), {})
    memory = kind.from_address(address)
    weakref.finalize(memory, _libc.shmdt, address).atexit = False
    return id, np.frombuffer(memory, dtype=np.uint8)


def _memfd(size: int) -> tuple[int, Bytes]:
    """A memfd that can neither shrink nor grow."""
    fd = os.memfd_create("plumb", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, size)
        fcntl.fcntl(fd, _ADD_SEALS, _SEALS)
        return fd, np.frombuffer(mmap.mmap(fd, size), dtype=np.uint8)
    except BaseException:
        os.close(fd)
        raise


def _os_error(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"cannot {what}: {os.strerror(code)}")


def _with_place(scene: object, what: str, place: dict[str, object]) -> bytes:
    """The scene's JSON with the parameters before its other members."""
    text = encode_json(scene, what).strip()
    if text[:1] != b"{":
        raise ValueError(f"cannot draw {what}: want an object")
    rest = text[1:].lstrip()
    return b'{"parameters":' + json.dumps(place).encode() + (b"" if rest[:1] == b"}" else b",") + rest


def _query(channels: str, bounds: str) -> tuple[tuple[str, str], ...]:
    return (("channels", channels), *((("bounds", bounds),) if bounds else ()))
