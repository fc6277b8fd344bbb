"""Results: what the daemon says of one sample, and where its time went. Numbers must be
finite; anything else is a BadAnswer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plumb_client.errors import BadAnswer


@dataclass(frozen=True)
class Failure:
    """Why a sample has no score: code ("deadline", "no_response", ...) and message."""

    code: str
    message: str


@dataclass(frozen=True)
class Timings:
    """Where the time of one request went, in milliseconds.

    total_ms is the whole call, retries included; client_wait_ms the part spent
    waiting for a place among this process's connections; queue_ms and score_ms are
    the daemon's, None where it did not tell (samples of one batch share a request).
    """

    total_ms: float = 0.0
    client_wait_ms: float = 0.0
    queue_ms: float | None = None
    score_ms: float | None = None
    attempts: int = 1
    request_id: str = ""


@dataclass(frozen=True)
class Result:
    """One scored sample.

    score is the benchmark's own number, unclamped; reward is the score as the
    daemon shapes it (clamped to 0..1 unless it was told otherwise). Both are None
    exactly when error is set: a failed scorer is never a wrong answer.
    """

    score: float | None
    reward: float | None
    status: str = ""
    error: Failure | None = None
    id: str = ""
    suite: str = ""
    test: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Mapping[str, Any], ...] = ()
    backend: str = ""
    scorer: str = ""
    timings: Timings = Timings()
    line: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def failed(self) -> bool:
        """Whether the scorer could not score."""
        return self.reward is None


def parse_result(line: object, timings: Timings) -> Result:
    """Reads one result line. Raises BadAnswer where it is none."""
    if not isinstance(line, Mapping):
        raise BadAnswer(f"cannot read result: got {type(line).__name__}; want an object")
    score, reward = _number(line, "score"), _number(line, "reward")
    failure = None
    if isinstance(e := line.get("error"), Mapping):
        failure = Failure(_text(e, "code"), _text(e, "message"))
    if score is None or reward is None:
        score = reward = None
        failure = failure or Failure("unknown", "the result has no score and no reason")
    metrics, notes = line.get("metrics"), line.get("notes")
    return Result(
        score=score,
        reward=reward,
        status=_text(line, "status"),
        error=failure,
        id=_text(line, "id"),
        suite=_text(line, "suite"),
        test=_text(line, "test"),
        metrics=metrics if isinstance(metrics, Mapping) else {},
        notes=tuple(n for n in notes if isinstance(n, Mapping)) if isinstance(notes, list) else (),
        backend=_text(line, "backend"),
        scorer=_text(line, "scorer"),
        timings=timings,
        line=line,
    )


def failed_result(code: str, message: str, timings: Timings) -> Result:
    """A result for a sample that the daemon answered with an error status."""
    return Result(score=None, reward=None, error=Failure(code, message), timings=timings)


def _number(line: Mapping[str, Any], name: str) -> float | None:
    v = line.get(name)
    if v is None:
        return None
    if isinstance(v, bool) or not isinstance(v, (int, float)) or not math.isfinite(v):
        raise BadAnswer(f"cannot read result: {name} is {v!r:.40}; want a finite number or null")
    return float(v)


def _text(line: Mapping[str, Any], name: str) -> str:
    v = line.get(name)
    return v if isinstance(v, str) else ""
