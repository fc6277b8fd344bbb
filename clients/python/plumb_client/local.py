"""A daemon of this process, for where none is running.

    with plumb_client.local.Daemon(tasks={"aspire": "tasks.jsonl"}) as d:
        client = plumb_client.Client(d.url)

find() is for packages: it takes a daemon that is given by url or PLUMB_URL, and
starts one where none is. The program is PLUMB_BIN, else that of the package
plumb-bin, else `plumb` in PATH. It listens on a private Unix socket and reads from
a pipe that only this process holds: it ends with this process, also after kill -9.
Processes that this one starts or forks share the daemon; the variable
PLUMB_LOCAL_DAEMONS has its socket.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plumb_client.client import Client
from plumb_client.errors import NotReady, PlumbError

#: The environment variable with the daemons of a process tree: JSON, key to socket.
VARIABLE = "PLUMB_LOCAL_DAEMONS"

#: Longest wait for a daemon to start, in seconds.
START = 60.0

#: The names of daemons' folders begin with PREFIX. A folder without a socket that is older
#: than LEFT_OVER, in seconds, is removed.
PREFIX, LEFT_OVER = "plumb-local-", 3600.0

Tasks = Mapping[str, "str | os.PathLike[str]"]


class NoProgram(PlumbError):
    """There is no program plumb to start."""


class Daemon:
    """A daemon on a private Unix socket; url is its address, started says whether
    this object started it.

    tasks maps a suite, or SUITE:SPLIT, to a task file; flags are further ones of
    `plumb serve`. A process tree has one daemon for the same tasks and flags. The
    daemon ends with the process that started it, or with stop().

    Raises NoProgram where there is no program, NotReady, with what the program said,
    where it does not start.
    """

    def __init__(self, tasks: Tasks | None = None, *, flags: Sequence[str] = ()) -> None:
        program = find_program()
        arguments = [*_task_flags(tasks or {}), *flags]
        key = hashlib.sha256(json.dumps([program, *arguments]).encode()).hexdigest()[:16]
        with _lock:
            self.started = _shared(key) is None
            if self.started:
                if dead := _running.pop(key, None):
                    dead.stop()
                _running[key] = _Process(program, arguments)
                _announce(key, _running[key].socket)
            self._key, path = key, _shared(key)
        self.url = f"unix:{path}"

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *args: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Daemon({self.url!r})"

    def stop(self) -> None:
        """Ends the daemon where this process started it; another one's goes on."""
        with _lock:
            if self.started and self._key in _running:
                _announce(self._key, None)
                _running.pop(self._key).stop()


def find(url: str | None = None, tasks: Tasks | None = None) -> tuple[str, bool]:
    """The address of a daemon: url, else PLUMB_URL, else that of Daemon(tasks). Also whether
    it is the last one, which belongs to this process tree and has these tasks."""
    given = url or os.environ.get("PLUMB_URL")
    return (given, False) if given else (Daemon(tasks).url, True)


def find_program() -> str:
    """The path of the program. Raises NoProgram."""
    if named := os.environ.get("PLUMB_BIN"):
        if not os.access(named, os.X_OK):
            raise NoProgram(f"cannot start plumb: PLUMB_BIN names {named}, which is no program")
        return os.path.abspath(named)
    with contextlib.suppress(ModuleNotFoundError):
        wheel: Any = importlib.import_module("plumb_bin")
        return str(wheel.program())
    if found := shutil.which("plumb"):
        return os.path.abspath(found)
    raise NoProgram("cannot start plumb: there is no program; want PLUMB_URL, PLUMB_BIN, the package plumb-bin, or plumb in PATH")


def _task_flags(tasks: Tasks) -> list[str]:
    flags = []
    for suite, file in sorted(tasks.items()):
        path = Path(file).expanduser().resolve()
        if not path.exists():
            raise FileNotFoundError(f"cannot find tasks of {suite}: there is no file {file}")
        flags += ["--tasks", f"{suite}={path}"]
    return flags


class _Process:
    """The program with its socket, its pipe and its log."""

    def __init__(self, program: str, arguments: Sequence[str]) -> None:
        self.owner = os.getpid()
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.socket = self.folder / "socket"
        self.log = self.folder / "log"
        command = [program, "serve", "--listen", "", "--socket", str(self.socket), "--exit-with-stdin",
                   "--drain-grace", "0s", "--log-level", "warn", *arguments]  # fmt: skip
        with self.log.open("wb") as log:
            # A session of its own: an interrupt at the terminal reaches Python first.
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def _wait(self) -> None:
        client, waited = Client(f"unix:{self.socket}"), 0.0
        while self.process.poll() is None and waited < START:
            with contextlib.suppress(NotReady):
                return client.wait_until_ready(1.0)
            waited += 1.0
        said = self.log.read_text(errors="replace").strip()[-2000:]
        raise NotReady(f"plumb does not start: {said or 'it said nothing'}")

    def close_pipe(self) -> None:
        """Closes a forked child's copy of the pipe, which would keep the daemon running."""
        assert self.process.stdin is not None
        nothing = os.open(os.devnull, os.O_WRONLY)
        # The descriptor stays open, on another file, because self.process.stdin will close it.
        os.dup2(nothing, self.process.stdin.fileno())
        os.close(nothing)

    def stop(self) -> None:
        """Ends the program and removes its folder."""
        if self.owner != os.getpid():
            return
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _sweep() -> None:
    """Removes the folders of processes that were killed. Their daemons removed the sockets
    when they ended, but not the folders."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        with contextlib.suppress(OSError):
            seen = folder.stat()
            if seen.st_uid == os.getuid() and time.time() - seen.st_mtime > LEFT_OVER and not (folder / "socket").exists():
                shutil.rmtree(folder, ignore_errors=True)


_lock = threading.Lock()
_running: dict[str, _Process] = {}


def _shared(key: str) -> str | None:
    """The socket of the process tree's daemon with this key, None where none answers."""
    path = _known().get(key)
    if path is None:
        return None
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(path)
        except OSError:
            return None
    return path


def _known() -> dict[str, str]:
    """The sockets of the process tree's daemons, by key, from the environment."""
    try:
        sockets = json.loads(os.environ.get(VARIABLE, "{}"))
        return {str(k): str(v) for k, v in sockets.items()}
    except (ValueError, AttributeError):
        return {}


def _announce(key: str, path: Path | None) -> None:
    """Puts the socket of a daemon into the environment, for this process and its children.
    None takes it out."""
    sockets = _known()
    sockets.pop(key, None)
    if path is not None:
        sockets[key] = str(path)
    os.environ[VARIABLE] = json.dumps(sockets)


def _forked() -> None:
    global _lock
    _lock = threading.Lock()
    for process in _running.values():
        process.close_pipe()
    _running.clear()


def _stop_all() -> None:
    for process in _running.values():
        process.stop()


os.register_at_fork(after_in_child=_forked)
atexit.register(_stop_all)
