"""Ray: score a large dump on the machines of a cluster.

    from plumb_client import ray_jobs
    ray_jobs.score(["dump.jsonl", "--tasks", "aspire=tasks.jsonl", "-o", "scores.jsonl"])

plumb plans the run, a Ray task scores each shard with `plumb shard run`, and plumb
writes the file from the parts. All machines need the program and a folder that they
share, in which the dumps and the output are; paths of commands are those of the
working folder. The state of the run is in the folder alone, so the same call goes on
after any interruption.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

# The exit codes of `plumb shard run`.
DONE, FAILED, WRONG_USE, POISON = 0, 1, 2, 3


class ShardError(RuntimeError):
    """A shard that cannot be scored; the message is plumb's."""


def run_shard(plumb: str, manifest: str, shard: int, bisect: bool) -> tuple[int, str]:
    """Scores one shard. Returns the exit code, negative for a signal, and the end of stderr."""
    command = [plumb, "shard", "run", "--manifest", manifest, "--shard", str(shard)]
    done = subprocess.run(command + ["--bisect"] * bisect, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr[-2000:]


def score(args: Sequence[str], *, plumb: str = "plumb", num_cpus: float = 1.0, tries: int = 4, at_once: int | None = None) -> None:
    """Scores dumps with the arguments of `plumb score`, which must have -o FILE.

    num_cpus is what Ray reserves for a shard. A shard that fails is tried tries times in
    all. One that ended two processes is run once more to find the lines that end them,
    which get the error poison. at_once bounds the tasks in flight; by default they are
    twice as many as the cluster can run. Raises ShardError, and
    subprocess.CalledProcessError where plumb refuses the arguments.
    """
    import ray

    planned = subprocess.run([plumb, "score", *args, "--plan"], stdout=subprocess.PIPE, check=True)
    plan = json.loads(planned.stdout)
    if not ray.is_initialized():
        ray.init()
    if at_once is None:
        at_once = max(2, int(2 * ray.cluster_resources().get("CPU", 1) / max(num_cpus, 0.01)))
    # The tries are counted here, so Ray makes none by itself.
    task: Any = ray.remote(num_cpus=num_cpus, max_retries=0)(run_shard)
    waiting = [(k, 1, False) for k in reversed(range(plan["shards"]))]
    flying: dict[Any, tuple[int, int, bool]] = {}
    while waiting or flying:
        while waiting and len(flying) < at_once:
            k, n, bisect = waiting.pop()
            flying[task.remote(plumb, plan["manifest"], k, bisect)] = (k, n, bisect)
        ready, _ = ray.wait(list(flying), num_returns=1)
        for ref in ready:
            k, n, bisect = flying.pop(ref)
            try:
                code, errors = ray.get(ref)
            except ray.exceptions.RayError as e:  # the machine is gone
                code, errors = FAILED, str(e)
            if code == DONE:
                continue
            if code == POISON and not bisect:
                waiting.append((k, n, True))
            elif code in (WRONG_USE, POISON) or n >= tries:
                raise ShardError(f"shard {k}: exit code {code} at try {n}: {errors}")
            else:
                waiting.append((k, n + 1, bisect))
    joined = subprocess.run([plumb, "score", *args], stderr=sys.stderr, check=False)
    if joined.returncode != 0:
        raise ShardError(f"plumb score ended with exit code {joined.returncode}")
