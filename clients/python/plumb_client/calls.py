"""What the daemon can be asked, each as a coroutine for the pool.

In: arguments, which are read and encoded at once, in the caller's thread, so that
a wrong one raises there. Out: a function that does the work in the pool's loop
and gives results with their meaning: a sample that the scorer could not score is
a Result with an error, a bad label a BadLabel, another refusal a Refused.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, Union

from plumb_client.errors import BadAnswer, BadLabel, NotReady, Refused, Unavailable
from plumb_client.labels import encode_json, encode_label
from plumb_client.pool import Pool
from plumb_client.result import Failure, Result, Timings, failed_result, parse_result
from plumb_client.target import Config
from plumb_client.wire import Reply, Request, send

T = TypeVar("T")
#: An answer: its text, chat messages or content parts, which the daemon unwraps,
#: or an object in the suite's own form; None where the response is missing.
Response = Union[str, list[Any], dict[str, Any], None]
Work = Callable[[Pool], Coroutine[Any, Any, T]]

#: A request of score_many has at most so many items and bytes.
CHUNK_ITEMS, CHUNK_BYTES = 64, 4 << 20

#: Requests of one score_many that are under way at a time.
CHUNKS_AT_ONCE = 8

#: Samples of one reward_many that are under way at a time.
SAMPLES_AT_ONCE = 1024


@dataclass(frozen=True)
class Health:
    """Whether the daemon takes requests; reason says why not."""

    ready: bool
    reason: str = ""


def score(
    cfg: Config, item: object, suite: str, reward: str, variants: Sequence[str], timeout: float | None
) -> Work[Result]:
    """POST /v1/score with one item."""
    body, params = encode_json(item, "item"), _options(suite, reward, variants)

    async def work(pool: Pool) -> Result:
        return _sample(cfg, await send(pool, cfg, Request("POST", "/v1/score", body, params, timeout=timeout, one=True)))

    return work


def score_many(
    cfg: Config, items: Iterable[object], suite: str, reward: str, variants: Sequence[str], timeout: float | None
) -> Work[list[Result]]:
    """POST /v1/score with lists of items."""
    chunks = _chunks([encode_json(item, f"item {i}") for i, item in enumerate(items)])
    params = _options(suite, reward, variants)

    async def one(pool: Pool, chunk: list[bytes]) -> list[Result]:
        body = b'{"items":[' + b",".join(chunk) + b"]}"
        req = Request("POST", "/v1/score", body, params, timeout=timeout, attempt_timeout=timeout or cfg.timeout)
        reply = await send(pool, cfg, req)
        if reply.status in (500, 504):
            raise Unavailable(f"cannot score items: {_complaint(reply)[1]}", status=reply.status)
        lines = _json(cfg, _accepted(cfg, reply)).get("results")
        if not isinstance(lines, list) or len(lines) != len(chunk):
            raise BadAnswer(f"cannot read results of {cfg.name}: want a list of {len(chunk)}")
        return [parse_result(line, reply.timings) for line in lines]

    async def work(pool: Pool) -> list[Result]:
        parts = await _bounded(CHUNKS_AT_ONCE, [partial(one, pool, c) for c in chunks])
        return [r for part in parts for r in _raised(part)]

    return work


def reward(
    cfg: Config, label: object, response: Response, prompt: object, timeout: float | None, variants: Sequence[str] = ()
) -> Work[Result]:
    """POST /v1/reward with one sample."""
    body, params = _reward_body(0, label, response, prompt), _options("", "", variants)

    async def work(pool: Pool) -> Result:
        return await _reward(pool, cfg, body, 0, timeout, params)

    return work


def reward_many(
    cfg: Config,
    labels: Iterable[object],
    responses: Iterable[Response],
    prompts: Iterable[object] | None,
    timeout: float | None,
) -> Work[list[Result]]:
    """POST /v1/reward for each sample."""
    labels, responses = list(labels), list(responses)
    said = [None] * len(labels) if prompts is None else list(prompts)
    if not len(labels) == len(responses) == len(said):
        raise ValueError(f"cannot pair {len(labels)} labels, {len(responses)} responses and {len(said)} prompts: want as many of each")
    bodies = [_reward_body(i, *sample) for i, sample in enumerate(zip(labels, responses, said))]

    async def work(pool: Pool) -> list[Result]:
        jobs = [partial(_reward, pool, cfg, b, i, timeout) for i, b in enumerate(bodies)]
        outcomes = await _bounded(SAMPLES_AT_ONCE, jobs)
        for o in outcomes:  # a bad label is raised before any other error, because the dataset is wrong
            if isinstance(o, BadLabel):
                raise o
        return [_raised(o) for o in outcomes]

    return work


def slime(cfg: Config, label: object, response: Response, prompt: object, position: int) -> Work[Result]:
    """POST /reward/slime, which also strips the special tokens that slime leaves in."""
    body = _reward_body(position, label, response, prompt)

    async def work(pool: Pool) -> Result:
        reply = await send(pool, cfg, Request("POST", "/reward/slime", body, (("format", "object"),), one=True))
        return _sample(cfg, reply, position)

    return work


def get_reward(
    cfg: Config, queries: Sequence[str], prompts: Sequence[object], labels: Sequence[object]
) -> Work[dict[str, Any]]:
    """POST /get_reward, OpenRLHF's own contract, as it is."""
    sent = {
        "query": list(queries),
        "prompts": list(prompts),
        "labels": [encode_label(label, i) for i, label in enumerate(labels)],
    }
    body = encode_json(sent, "samples")

    async def work(pool: Pool) -> dict[str, Any]:
        reply = await send(pool, cfg, Request("POST", "/get_reward", body))
        return _json(cfg, _accepted(cfg, reply))

    return work


def render(cfg: Config, scene: object, bounds: str, channels: str, timeout: float | None) -> Work[bytes]:
    """POST /v1/render."""
    body = encode_json(scene, "scene")
    params = tuple((k, v) for k, v in (("bounds", bounds), ("channels", channels)) if v)

    async def work(pool: Pool) -> bytes:
        req = Request("POST", "/v1/render", body, params, accept="image/png", timeout=timeout)
        reply = _accepted(cfg, await send(pool, cfg, req))
        if not reply.body.startswith(b"\x89PNG\r\n\x1a\n"):
            raise BadAnswer(f"cannot read picture of {cfg.name}: it is no PNG")
        return reply.body

    return work


def metrics(cfg: Config, a: object, b: object, threshold: int, hausdorff: bool) -> Work[dict[str, Any]]:
    """POST /v1/metrics with one mask or two."""
    sent: dict[str, object] = {"a": _mask(a, "a"), "threshold": threshold, "hausdorff": hausdorff}
    if b is not None:
        sent["b"] = _mask(b, "b")
    body = encode_json(sent, "masks")

    async def work(pool: Pool) -> dict[str, Any]:
        return _json(cfg, _accepted(cfg, await send(pool, cfg, Request("POST", "/v1/metrics", body))))

    return work


def _mask(mask: Any, what: str) -> dict[str, object]:
    if isinstance(mask, (bytes, bytearray)):
        return {"png": base64.b64encode(mask).decode()}
    shape: tuple[int, ...] = getattr(mask, "shape", ())
    kind = str(getattr(mask, "dtype", type(mask).__name__))
    if kind != "uint8" or not (len(shape) == 2 or len(shape) == 3 and shape[2] == 4):
        raise ValueError(f"cannot measure {what}: got {kind} {shape or ''}; want a PNG, or uint8 height x width [x 4]")
    channels = "alpha" if len(shape) == 2 else "rgba"
    data = base64.b64encode(mask.tobytes()).decode()
    return {"width": int(shape[1]), "height": int(shape[0]), "channels": channels, "data": data}


def document(cfg: Config, path: str) -> Work[dict[str, Any]]:
    """GET of a JSON document."""

    async def work(pool: Pool) -> dict[str, Any]:
        return _json(cfg, _accepted(cfg, await send(pool, cfg, Request("GET", path))))

    return work


def prometheus(cfg: Config) -> Work[str]:
    """GET /metrics."""

    async def work(pool: Pool) -> str:
        reply = await send(pool, cfg, Request("GET", "/metrics", accept="text/plain"))
        return _accepted(cfg, reply).body.decode()

    return work


def health(cfg: Config) -> Work[Health]:
    """GET /health, without retries."""

    async def work(pool: Pool) -> Health:
        return await _health(pool, cfg, min(cfg.timeout, cfg.attempt_timeout, 10.0))

    return work


def wait_until_ready(cfg: Config, timeout: float) -> Work[None]:
    """Asks for health until it is good."""

    async def work(pool: Pool) -> None:
        clock = asyncio.get_running_loop().time
        end, why, pause = clock() + timeout, "", 0.05
        while (left := end - clock()) > 0:
            try:
                h = await _health(pool, cfg, min(left, 5.0))
                if h.ready:
                    return
                why = h.reason or "it is not ready"
            except Unavailable as e:
                # At the end the reason is that of an earlier answer, which says more than a timeout.
                if clock() < end or not why:
                    why = str(e)
            await asyncio.sleep(min(pause, max(end - clock(), 0)))
            pause = min(pause * 1.5, 1.0)
        raise NotReady(f"the daemon is not ready after {timeout:g} s: {why}")

    return work


async def posted(pool: Pool, cfg: Config, path: str, body: bytes, one: bool = False) -> dict[str, Any]:
    """The object that answers a POST. one says that the request is about one sample.

    Raises BadLabel, Refused, and Unavailable where the daemon failed.
    """
    reply = await send(pool, cfg, Request("POST", path, body, one=one))
    if reply.status >= 500:
        raise Unavailable(f"cannot use answer of {cfg.name}: {_complaint(reply)[1]}", status=reply.status)
    return _json(cfg, _accepted(cfg, reply))


async def got(pool: Pool, cfg: Config, path: str) -> object:
    """The JSON that answers a GET."""
    try:
        return json.loads(_accepted(cfg, await send(pool, cfg, Request("GET", path))).body)
    except ValueError:
        raise BadAnswer(f"cannot read answer of {cfg.name}: want JSON; is it plumb?") from None


async def _health(pool: Pool, cfg: Config, timeout: float) -> Health:
    # 503 is an answer here, so the reply is wanted whatever its status.
    req = Request("GET", "/health", timeout=timeout, retry=False, any_status=True)
    reply = await send(pool, cfg, req)
    if reply.status == 200:
        return Health(True)
    try:
        reason = json.loads(reply.body).get("reason")
    except (ValueError, AttributeError):
        reason = None
    return Health(False, reason if isinstance(reason, str) else f"it answered {reply.status}")


async def _reward(
    pool: Pool, cfg: Config, body: bytes, position: int, timeout: float | None, params: tuple[tuple[str, str], ...] = ()
) -> Result:
    return _sample(cfg, await send(pool, cfg, Request("POST", "/v1/reward", body, params, timeout=timeout, one=True)), position)


def _reward_body(position: int, label: object, response: Response, prompt: object) -> bytes:
    sent: dict[str, object] = {"label": encode_label(label, position), "response": response}
    if response is not None and not isinstance(response, (str, list, dict)):
        raise TypeError(f"cannot use response of sample {position}: got {type(response).__name__}; want text or chat messages")
    if prompt is not None:
        sent["prompt"] = prompt
    return encode_json(sent, f"sample {position}")


def _sample(cfg: Config, reply: Reply, position: int = 0) -> Result:
    """Reads the answer to a request about one sample."""
    if reply.status == 200:
        return parse_result(_json(cfg, reply), reply.timings)
    code, message = _complaint(reply)
    if reply.status == 422 and code == "bad_label":
        raise _bad_label(message, position)
    if reply.status in (413, 422, 500, 504):
        return failed_result(code or f"http_{reply.status}", message, reply.timings)
    raise _refused(cfg, reply)


def _bad_label(message: str, position: int) -> BadLabel:
    """The daemon says "cannot use label.FIELD: why", or labels[N] of several."""
    m = re.match(r"cannot use labels?(?:\[(\d+)\])?(?:\.([^:]*))?: ", message)
    if m is None:
        return BadLabel(f"cannot use label of sample {position}: {message}", position=position)
    position, field = int(m[1]) if m[1] and not position else position, m[2] or ""
    where = f"field {field}: " if field else ""
    return BadLabel(f"cannot use label of sample {position}: {where}{message[m.end() :]}", position=position, field=field)


def _accepted(cfg: Config, reply: Reply) -> Reply:
    if reply.status != 200:
        code, message = _complaint(reply)
        if code == "bad_label":
            raise _bad_label(message, 0)
        raise _refused(cfg, reply)
    return reply


def _refused(cfg: Config, reply: Reply) -> Refused:
    code, message = _complaint(reply)
    return Refused(f"{cfg.name} answered {reply.status}: {message}", status=reply.status, code=code)


def _complaint(reply: Reply) -> tuple[str, str]:
    """error_type and error of an answer; for one that is not the daemon's, "" and its status."""
    try:
        v = json.loads(reply.body)
        code, message = v["error_type"], v["error"]
        if isinstance(code, str) and isinstance(message, str):
            return code, message
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return "", f"status {reply.status} without a reason"


def _json(cfg: Config, reply: Reply) -> dict[str, Any]:
    try:
        v = json.loads(reply.body)
    except (ValueError, RecursionError):
        v = None
    if not isinstance(v, dict):
        raise BadAnswer(f"cannot read answer of {cfg.name}: want a JSON object; is it plumb?")
    return v


def _options(suite: str, reward: str, variants: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if isinstance(variants, str):
        raise TypeError("cannot use variants: got text; want a list of NAME or NAME=VALUE")
    named = [("suite", suite), ("reward", reward)] + [("variant", v) for v in variants]
    return tuple((k, v) for k, v in named if v)


def _chunks(encoded: list[bytes]) -> list[list[bytes]]:
    out: list[list[bytes]] = []
    size = 0
    for b in encoded:
        if not out or len(out[-1]) >= CHUNK_ITEMS or size + len(b) > CHUNK_BYTES:
            out.append([])
            size = 0
        out[-1].append(b)
        size += len(b) + 1
    return out


async def _bounded(limit: int, jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]]) -> list[T | BaseException]:
    """Runs jobs, limit at a time; the outcomes are in order, exceptions included."""
    gate = asyncio.Semaphore(limit)

    async def one(job: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async with gate:
            return await job()

    return await asyncio.gather(*(one(j) for j in jobs), return_exceptions=True)


def _raised(outcome: T | BaseException) -> T:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
